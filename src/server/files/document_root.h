// Opens files below a directory, and nothing else.
//
// Names are resolved by openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS, so the kernel sees
// to it that neither "..", nor a symbolic link, nor a race with a rename leads out of the
// directory. With SymlinkPolicy::kNever no symbolic link is followed at all. Thread-safety: const
// functions from any thread.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

#include "perch/base/error.h"
#include "perch/net/unique_fd.h"
#include "perch/server/file_service.h"

namespace perch::server {

// Enough of stat(2) to tell a changed file.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;  // of the content
  std::int64_t changed_ns = 0;   // of content, mode or links

  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

// The content is the same, as far as can be told, though links or mode may differ.
inline bool same_content(const FileIdentity& a, const FileIdentity& b) {
  return a.device == b.device && a.inode == b.inode && a.size == b.size &&
         a.modified_ns == b.modified_ns;
}

enum class FileType : std::uint8_t { kRegular, kDirectory };

struct OpenedFile {
  net::UniqueFd descriptor;
  FileIdentity identity;
  FileType type = FileType::kRegular;
};

enum class OpenFailure : std::uint8_t {
  kMissing,        // nothing there that may be served
  kNoDescriptors,  // the process or the system has run out of them
  kFailed,         // anything else, such as an input error
};

// What the descriptor refers to now. An identity with inode 0 where fstat fails.
FileIdentity identify(int descriptor);

class DocumentRoot {
 public:
  static Result<DocumentRoot> open(const std::string& directory,
                                   SymlinkPolicy symlinks = SymlinkPolicy::kFollow);

  // `path` is relative ("a/b.html"; "." is the root itself). Never blocks on a FIFO.
  std::expected<OpenedFile, OpenFailure> open_file(const std::string& path) const;
  // The same without permission to read: enough to say what is there.
  std::expected<OpenedFile, OpenFailure> look_at(const std::string& path) const;

 private:
  DocumentRoot(net::UniqueFd directory, std::uint64_t resolve)
      : directory_(std::move(directory)), resolve_(resolve) {}
  std::expected<OpenedFile, OpenFailure> open(const std::string& path, std::uint64_t flags) const;

  net::UniqueFd directory_;
  std::uint64_t resolve_;  // of openat2
};

}  // namespace perch::server
