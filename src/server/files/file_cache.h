// One worker's open-file cache: answers requests for files.
//
// Entries are found by the path as it came, so a hit decodes nothing. Only the spelling that
// http::encode_path gives is a key: other spellings of the same path are decoded and lead to the
// same entry, so that they cannot fill the cache. Time is an argument, never read, except the wall
// clock for a new file's Last-Modified.
//
// Thread-safety: none; belongs to one worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/http/redirect_rules.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/server/file_service.h"
#include "server/files/document_root.h"
#include "server/files/file_body.h"
#include "server/files/file_heads.h"
#include "server/files/file_loader.h"
#include "server/files/file_pages.h"
#include "server/files/file_table.h"

namespace perch::server {

class FileCache {
 public:
  // Longer paths are served, not remembered.
  static constexpr std::size_t kLongestCachedPath = 1024;

  // Borrows both.
  FileCache(const DocumentRoot& root, const FileOptions& options);
  FileCache(const FileCache&) = delete;
  FileCache& operator=(const FileCache&) = delete;

  http::Response answer(const http::Request& request, Instant now);

  const FileTable& table() const { return table_; }
  const StreamBuffers& buffers() const { return *buffers_; }

 private:
  http::Response answer_unknown(const http::Request& request, Instant now);
  http::Response answer_known(FileEntry& entry, const http::Request& request, Instant now);
  http::Response check(FileEntry& entry, const http::Request& request, Instant now);
  http::Response load(std::string path, const std::string& decoded, const http::Request& request,
                      Instant now);
  http::Response keep(std::string path, FileLoader::Loaded loaded, const http::Request& request,
                      Instant now);

  http::Response respond(const FileEntry& entry, const http::Request& request, Instant now);
  http::Response respond_file(const FileEntry& entry, const http::Request& request, Instant now);
  http::Response respond_whole(const Representation& form, const http::Request& request);
  http::Response respond_conditionally(const Representation& form, bool wants_part,
                                       const http::Request& request, Instant now);
  http::Response respond_missing(const http::Request& request, Instant now);
  http::Response directory_redirect(const FileEntry& entry, const http::Request& request);
  http::Response redirect(const http::Redirection& redirection, const std::string& path,
                          const http::Request& request);
  // `content_range` is for 416.
  http::Response error(int status, const http::Request& request, Instant now,
                       std::string_view content_range = {});
  const std::shared_ptr<StreamBuffers>& own_buffers();

  const FileOptions& options_;
  HeadMaker heads_;
  FileLoader loader_;
  FileTable table_;
  std::shared_ptr<StreamBuffers> buffers_;
  ErrorPages errors_;
  std::optional<PageFile> fallback_;
  bool always_rules_;            // some rule concerns what is no file
  const bool redirects_by_url_;  // some rule names a host
};

}  // namespace perch::server
