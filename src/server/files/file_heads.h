// Response heads of the file service.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perch/base/bytes.h"
#include "perch/http/conditional.h"
#include "perch/http/method.h"
#include "perch/http/response.h"
#include "server/files/document_root.h"

namespace perch::server {

// A strong entity tag of 13 characters: a hash of modification time, size and inode.
std::string make_etag(const FileIdentity& identity);

using SharedHead = std::shared_ptr<const http::PreparedHead>;

// What one state of a file is answered with, and the validators that stand in it.
struct FileHeads {
  SharedHead ok;
  SharedHead not_modified;
  std::string etag;
  std::int64_t last_modified = -1;  // unix seconds; -1 for none

  http::Validators validators() const { return {etag, last_modified}; }
};

// A modification time later than `now_unix_seconds` is given as now (RFC 9110 section 8.8.2.1); one
// before 1970 is left out.
FileHeads make_file_heads(std::string_view file_name, const FileIdentity& identity,
                          std::int64_t now_unix_seconds);

SharedHead make_redirect_head(std::string_view location);

// An error with its page, made once.
class ErrorAnswer {
 public:
  explicit ErrorAnswer(int status, http::Fields more = {});

  http::Response to(http::Method method) const {
    if (method == http::Method::kHead) return http::Response(head_, {});
    return http::Response(head_, page_);
  }

 private:
  SharedHead head_;
  Bytes page_;
};

}  // namespace perch::server
