// From paths to entries: what the file system has for a path, read and described.
//
// Thread-safety: const functions from any thread; blocks on the file system.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "perch/server/file_service.h"
#include "server/files/document_root.h"
#include "server/files/file_heads.h"
#include "server/files/file_table.h"

namespace perch::server {

// A name that begins with a dot, but for /.well-known/ itself (RFC 8615).
bool is_hidden(std::string_view decoded_path);

class FileLoader {
 public:
  using Opened = std::expected<OpenedFile, OpenFailure>;
  // An entry without its path, or why there is none.
  using Loaded = std::expected<std::unique_ptr<FileEntry>, OpenFailure>;

  // Borrows all.
  FileLoader(const DocumentRoot& root, const FileOptions& options, const HeadMaker& heads);

  // What a decoded path stands for: "/a/" is "/a/index.html", or, if listings are on and there is
  // no such file, the directory. Hidden paths are missing.
  Opened open(const std::string& path) const;
  // Never answers kMissing: this is an entry.
  Loaded make_entry(const std::string& path, Opened opened) const;
  // Whether the entry, made of `path` before, is what `opened` gives now.
  bool still_holds(const FileEntry& entry, const std::string& path, const Opened& opened) const;

  // A file that is sent for other paths: its name may be hidden, and it is no directory.
  Opened open_page(const std::string& path) const;
  // As a form of a file that is sent for any path; `vary` as in DescribedFile.
  Loaded make_page(const std::string& path, Opened opened, std::string_view vary) const;

 private:
  // Of a file: which one, and for which request.
  struct Names {
    std::string_view request_path;
    std::string file_path;  // absolute, as the former
    std::string_view vary;
  };

  bool is_small(const FileIdentity& identity) const {
    return identity.size <= static_cast<std::int64_t>(largest_body_);
  }
  std::string file_path(const std::string& path) const;
  // A sibling that may be sent in place of a file of that age.
  Opened open_sibling(const std::string& file_path, http::ContentCoding coding,
                      const FileIdentity& original) const;
  Loaded make_file(const Names& names, OpenedFile opened) const;
  Loaded make_listing_entry(const std::string& path, OpenedFile directory) const;
  std::expected<void, OpenFailure> read(Representation& form, OpenedFile opened) const;
  void describe(Representation& form, const Names& names, http::ContentCoding coding,
                std::string_view vary) const;
  void add_siblings(FileEntry& entry, const Names& names) const;

  const DocumentRoot& root_;
  const FileOptions& options_;
  const HeadMaker& heads_;
  std::size_t largest_body_;
};

}  // namespace perch::server
