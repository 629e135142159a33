// Response heads of the file service.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "perch/http/conditional.h"
#include "perch/http/content_coding.h"
#include "perch/http/response.h"
#include "perch/server/file_service.h"
#include "server/files/document_root.h"

namespace perch::server {

// A strong entity tag of 13 characters: a hash of modification time, size, inode and coding.
std::string make_etag(const FileIdentity& identity,
                      http::ContentCoding coding = http::ContentCoding::kIdentity);

using SharedHead = std::shared_ptr<const http::PreparedHead>;

// A head in the forms that the two schemes need.
class SchemeHead {
 public:
  SchemeHead() = default;
  // `hsts` is the value of Strict-Transport-Security; "" for none.
  SchemeHead(int status, http::Fields fields, std::string_view hsts);

  const SharedHead& over(bool https) const {
    return https && secure_ != nullptr ? secure_ : plain_;
  }
  std::size_t bytes() const;  // kept

 private:
  SharedHead plain_;
  SharedHead secure_;  // null where it would be the same
};

// What one form of a file is answered with, and the validators that stand in it.
struct FileHeads {
  SchemeHead ok;
  SchemeHead not_modified;
  std::string etag;
  std::int64_t last_modified = -1;  // unix seconds; -1 for none

  http::Validators validators() const { return {etag, last_modified}; }
};

// A form of a file, and how it is found. Paths are decoded and absolute.
struct DescribedFile {
  std::string_view request_path;
  std::string_view file_path;
  const FileIdentity& identity;
  http::ContentCoding coding = http::ContentCoding::kIdentity;
  std::string_view vary;  // "" for none
  std::int64_t now_unix_seconds = 0;
};

// Makes heads by the options of one service, which it borrows.
class HeadMaker {
 public:
  explicit HeadMaker(const FileOptions& options) : options_(options) {}

  // A modification time later than now is given as now (RFC 9110 section 8.8.2.1); one before 1970
  // is left out.
  FileHeads file(const DescribedFile& file) const;
  SchemeHead directory_redirect(std::string_view path) const;
  SchemeHead listing(std::string_view path, std::size_t size) const;
  // Rules are not applied: they depend on the path that was asked for.
  SchemeHead error(int status, std::string_view content_type, std::uint64_t size) const;

 private:
  SchemeHead head(int status, http::Fields fields) const {
    return {status, std::move(fields), options_.hsts};
  }

  const FileOptions& options_;
};

}  // namespace perch::server
