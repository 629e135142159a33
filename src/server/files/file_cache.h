// One worker's open-file cache: answers requests for files.
//
// Entries are found by the path as it came, so a hit decodes nothing. Only the spelling that
// http::encode_path gives is a key: other spellings of the same path are decoded and lead to the
// same entry, so that they cannot fill the cache. Time is an argument, never read, except the wall
// clock for a new file's Last-Modified.
//
// Thread-safety: none; belongs to one worker.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/server/file_service.h"
#include "server/files/document_root.h"
#include "server/files/file_body.h"
#include "server/files/file_heads.h"
#include "server/files/file_table.h"

namespace perch::server {

class FileCache {
 public:
  // Longer paths are served, not remembered.
  static constexpr std::size_t kLongestCachedPath = 1024;

  // Borrows both.
  FileCache(const DocumentRoot& root, const FileOptions& options);

  http::Response answer(const http::Request& request, Instant now);

  const FileTable& table() const { return table_; }
  const StreamBuffers& buffers() const { return *buffers_; }

 private:
  // What a path stands for: an entry without its path, or why there is none.
  using Loaded = std::expected<std::unique_ptr<FileEntry>, OpenFailure>;

  http::Response answer_unknown(const http::Request& request, Instant now);
  http::Response answer_known(FileEntry& entry, const http::Request& request, Instant now);
  http::Response check(FileEntry& entry, const http::Request& request, Instant now);
  http::Response load(std::string path, const std::string& decoded, const http::Request& request,
                      Instant now);
  http::Response keep(std::string path, Loaded loaded, const http::Request& request, Instant now);
  http::Response respond(const FileEntry& entry, const http::Request& request);
  http::Response redirect(const FileEntry& entry, const http::Request& request);

  // Below the root: "/a/" is "a/index.html".
  std::string file_name(const std::string& decoded) const;
  std::expected<OpenedFile, OpenFailure> open(const std::string& decoded) const;
  Loaded make_entry(const std::string& decoded,
                    std::expected<OpenedFile, OpenFailure> opened) const;
  Loaded make_file_entry(const std::string& name, OpenedFile opened) const;

  const DocumentRoot& root_;
  const FileOptions& options_;
  std::size_t largest_body_;
  FileTable table_;
  std::shared_ptr<StreamBuffers> buffers_;
  ErrorAnswer bad_request_{400};
  ErrorAnswer not_found_{404};
  ErrorAnswer method_not_allowed_;
  ErrorAnswer precondition_failed_{412};
  ErrorAnswer unavailable_{503};
};

}  // namespace perch::server
