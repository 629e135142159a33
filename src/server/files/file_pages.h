// Files that are sent for other paths: error pages and the fallback. They are kept beside the
// table, so that no flood of other requests evicts them and none of them can lead to another.
//
// Thread-safety: none; belongs to one worker.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "perch/base/clock.h"
#include "perch/http/response.h"
#include "server/files/file_body.h"
#include "server/files/file_loader.h"

namespace perch::server {

// One such file, looked at again as entries of the table are.
class PageFile {
 public:
  // Borrows both. `vary` as in DescribedFile.
  PageFile(const FileLoader& loader, const FileOptions& options, std::string path,
           std::string_view vary = {})
      : loader_(loader), options_(options), path_(std::move(path)), vary_(vary) {}

  // Null while it cannot be served. Valid until the next call.
  const FileEntry* get(Instant now);

 private:
  const FileLoader& loader_;
  const FileOptions& options_;
  std::string path_;
  std::string vary_;
  bool looked_at_ = false;
  Instant checked_;
  std::unique_ptr<FileEntry> entry_;
};

// What the errors of one service look like.
class ErrorPages {
 public:
  // Borrows all.
  ErrorPages(const FileLoader& loader, const FileOptions& options, const HeadMaker& heads);

  // The error with its page, or with a line of text.
  http::Response answer(int status, bool https, bool with_body, Instant now,
                        const std::shared_ptr<StreamBuffers>& buffers);

 private:
  struct Custom {
    PageFile file;
    std::uint64_t made_of = 0;  // the id of the file's head that `head` was made of
    SchemeHead head;
  };
  struct Known {
    int status;
    SchemeHead head;  // of the line of text
    Bytes text;
    std::unique_ptr<Custom> custom;  // null for none
  };
  Known& known(int status);

  const HeadMaker& heads_;
  std::vector<Known> known_;  // those that the service gives
};

// The whole of a form.
http::Response whole_content(const SharedHead& head, const Representation& form,
                             const std::shared_ptr<StreamBuffers>& buffers);

// Whether a request looks as if a browser went to that place: it accepts text/html by name, and the
// last segment of its path has no dot.
bool looks_like_navigation(const http::Request& request);

}  // namespace perch::server
