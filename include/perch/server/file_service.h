// Serves the files below one directory.
//
// GET and HEAD only; any other method is answered 405. "/dir/" serves the directory's index file,
// "/dir" redirects there with 301; directories are never listed. What is not served is 404 whatever
// the reason: missing, unreadable, not a regular file, outside the root (also by way of a symbolic
// link), or with a name on its path that begins with "." (but for /.well-known/ at the root). A
// path that http::decode_path refuses is 400. Symbolic links that stay below the root are followed.
//
// Responses carry a strong ETag and Last-Modified, and preconditions are evaluated (304, 412). Each
// worker keeps open files, heads and the bodies of small files; an entry is checked against the
// file system when it is used `revalidate_after` or longer after its last check, so a change is
// seen by then. A response never mixes two states of a file: a file that changes while it is being
// streamed fails the stream.
//
// The root is opened once: if its name is later given to another directory, the first is served on.
// Reading a large file that is not in the page cache blocks the worker.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/task/task.h"

namespace perch::server {

// Sizes are per worker.
struct FileOptions {
  std::string root;
  std::string index = "index.html";            // a file name; "" for none
  std::size_t cached_entries = 1024;           // paths known, those below included
  std::size_t cached_missing = 128;            // of them, paths known to be 404
  std::size_t cached_body_bytes = 16 << 20;    // of all bodies kept
  std::size_t largest_cached_body = 64 << 10;  // bytes; larger files are streamed
  std::size_t open_files = 512;                // descriptors kept, of streamed files
  Duration revalidate_after = std::chrono::seconds(1);
};

// Thread-safety: serve may be called on every worker at once. The service outlives every task that
// it made and every body that they gave; it is destroyed when no worker uses it.
class FileService {
 public:
  // Errors: kNotFound, kPermissionDenied and other kSystem where the root cannot be opened;
  // kInvalidArgument where it is no directory, or `index` no file name; kUnsupported where the
  // kernel lacks openat2 (before Linux 5.6, or forbidden by a sandbox).
  static Result<std::unique_ptr<FileService>> open(FileOptions options);
  ~FileService();

  // The task is not started, and never waits. REQUIRES: runs on a worker.
  task::Task<http::Response> serve(http::Request request);

 private:
  struct Impl;
  explicit FileService(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace perch::server
