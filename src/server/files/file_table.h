// The entries of one worker's open-file cache: a hash table bounded in four ways, the least
// recently used going first.
//
// Invariants:
//  - each entry is in one bucket, which owns it, and on the list of use, the latest last;
//  - an entry that holds a descriptor is on the list of open files, one of kind kMissing on that of
//    the missing;
//  - after each insert no limit is passed.
// Thread-safety: none; belongs to one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/bytes.h"
#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "server/files/file_body.h"
#include "server/files/file_heads.h"

namespace perch::server {

struct UseTag;
struct KindTag;

// One form of a file: as it lies there, or a compressed sibling.
struct Representation {
  // False when the file was so young that another write could have gone unnoticed: it is read again
  // at the next check.
  bool settled = true;
  FileIdentity identity;
  FileHeads heads;
  Bytes body;                              // all of it, or
  std::shared_ptr<const SharedFile> file;  // open for streams
};

// What is known about a sibling of a file.
struct Sibling {
  http::ContentCoding coding = http::ContentCoding::kIdentity;
  FileIdentity identity;                 // inode 0 where there is none that may be sent
  std::unique_ptr<Representation> form;  // null then
};

// What is known about one path.
struct FileEntry : Representation, ListLink<UseTag>, ListLink<KindTag> {
  enum class Kind : std::uint8_t {
    kWhole,     // `body` is all of the file
    kStreamed,  // `file` is open
    kRedirect,  // a directory named without its slash; heads.ok is the redirect
    kListing,   // `body` is the page
    kMissing,
  };

  Kind kind = Kind::kMissing;
  bool negotiated = false;  // a sibling has a form
  Instant checked;          // against the file system
  std::string path;         // as http::encode_path writes it
  std::size_t hash = 0;
  std::vector<Sibling> siblings;    // of a file: one for each coding that is looked for
  std::unique_ptr<FileEntry> next;  // in its bucket

  bool holds_file() const { return kind == Kind::kWhole || kind == Kind::kStreamed; }
  // Of all forms.
  std::size_t body_bytes() const;
  std::size_t descriptors() const;
  // Bytes kept, bodies excepted.
  std::size_t overhead_bytes() const;
};

class FileTable {
 public:
  struct Limits {
    std::size_t entries;
    std::size_t missing;
    std::size_t body_bytes;
    std::size_t open_files;  // descriptors
  };

  explicit FileTable(const Limits& limits);
  ~FileTable();

  // Null for none. Does not count as a use.
  FileEntry* find(std::string_view path);
  void use(FileEntry& entry);
  // Evicts what it must, at worst `entry` itself. REQUIRES: no entry has its path.
  void insert(std::unique_ptr<FileEntry> entry);
  void erase(FileEntry& entry);
  // Closes the descriptors that no stream uses.
  void erase_open_files();

  std::size_t entries() const { return entries_; }
  std::size_t missing() const { return missing_count_; }
  std::size_t body_bytes() const { return body_bytes_; }
  std::size_t open_files() const { return open_count_; }  // descriptors

 private:
  using KindList = IntrusiveList<FileEntry, KindTag>;

  std::unique_ptr<FileEntry>& bucket(std::size_t hash) {
    return buckets_[hash & (buckets_.size() - 1)];
  }
  void evict();

  Limits limits_;
  std::vector<std::unique_ptr<FileEntry>> buckets_;  // a power of two
  IntrusiveList<FileEntry, UseTag> used_;
  KindList open_;
  KindList missing_;
  std::size_t entries_ = 0;
  std::size_t missing_count_ = 0;
  std::size_t body_bytes_ = 0;
  std::size_t open_count_ = 0;
};

}  // namespace perch::server
