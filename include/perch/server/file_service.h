// Serves the files below one directory.
//
// GET and HEAD only; any other method is answered 405. "/dir/" serves the directory's index file,
// "/dir" redirects there with 301. What is not served is 404 whatever the reason: missing,
// unreadable, not a regular file, outside the root (also by way of a symbolic link), or with a name
// on its path that begins with "." (but for /.well-known/ at the root). A path that
// http::decode_path refuses is 400.
//
// Responses carry a strong ETag and Last-Modified. Preconditions are evaluated in the order of RFC
// 9110 section 13.2.2 (304, 412, If-Range), then Range (section 14; GET only): one range is 206 as
// it is, several are multipart/byteranges, merged where they overlap or touch; a field with more
// than 16 is ignored; none that can be satisfied is 416. An empty file has no ranges.
//
// Each worker keeps open files, heads and the bodies of small files; an entry is checked against
// the file system when it is used `revalidate_after` or longer after its last check, so a change is
// seen by then. A response never mixes two states of a file: a file that changes while it is being
// streamed fails the stream.
//
// The root is opened once: if its name is later given to another directory, the first is served on.
// Reading a large file that is not in the page cache, and listing a directory, block the worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/http/content_coding.h"
#include "perch/http/field_rules.h"
#include "perch/http/redirect_rules.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/task/task.h"

namespace perch::server {

enum class SymlinkPolicy : std::uint8_t {
  kFollow,  // those whose target lies below the root; relative ones only
  kNever,
};

// A file that is sent as the body of an error.
struct ErrorPage {
  int status = 404;  // 400 to 599
  std::string path;  // from the root, "/404.html"; its name may begin with "."

  friend bool operator==(const ErrorPage&, const ErrorPage&) = default;
};

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

  SymlinkPolicy symlinks = SymlinkPolicy::kFollow;

  // Codings whose compressed siblings are sent in place of a file: for "a.js" these are "a.js.gz",
  // "a.js.br" and "a.js.zst". The client's Accept-Encoding decides, then this order. A sibling must
  // be a regular file below the root that is no older than the file. It has an ETag of its own, and
  // responses for a file that has one say Vary.
  std::vector<http::ContentCoding> precompressed;

  // "/dir/" without an index file is answered with a page of its entries, at most 10,000 of them.
  // Names that begin with "." and what would not be served are left out.
  bool listing = false;

  // A path from the root, "/index.html"; "" for none. Sent with 200 where a path is missing and
  // looks like a place within an application in the browser: Accept names text/html and the last
  // segment has no ".".
  std::string fallback;

  // Each is read like any file and kept apart from the cache; where it is not there, and for all
  // other errors, the body is a line of text.
  std::vector<ErrorPage> error_pages;

  // Matched against the path of the request and that of the file that it led to.
  std::vector<http::FieldRule> field_rules;
  // Before anything else is looked for, and for all methods.
  std::vector<http::RedirectRule> redirects;

  // The value of Strict-Transport-Security ("max-age=31536000"), sent with every response to a
  // request whose scheme is https, and with no other (RFC 6797 section 7.2). "" for none.
  std::string hsts;
};

// Thread-safety: serve may be called on every worker at once. The service outlives every task that
// it made, and is destroyed when no worker uses it; bodies own the files that they send.
class FileService {
 public:
  // Errors: kNotFound, kPermissionDenied and other kSystem where the root cannot be opened;
  // kInvalidArgument where it is no directory, or where another option is wrong, which the message
  // names; kUnsupported where the kernel lacks openat2 (before Linux 5.6, or forbidden by a
  // sandbox).
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
