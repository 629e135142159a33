#include "server/files/file_heads.h"

#include <algorithm>
#include <utility>

#include "perch/http/date.h"
#include "perch/http/field_rules.h"
#include "perch/http/media_type.h"
#include "perch/http/path.h"

namespace perch::server {
namespace {

// The finaliser of splitmix64: every bit of the input moves every bit of the output.
std::uint64_t mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

std::int64_t floor_seconds(std::int64_t nanoseconds) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return nanoseconds / kPerSecond - (nanoseconds % kPerSecond < 0 ? 1 : 0);
}

std::size_t bytes_of(const SharedHead& head) {
  return head == nullptr ? 0 : sizeof(http::PreparedHead) + head->fields().capacity_bytes();
}

}  // namespace

std::string make_etag(const FileIdentity& identity, http::ContentCoding coding) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t hash = mix(static_cast<std::uint64_t>(identity.modified_ns) + kStep);
  hash = mix((hash ^ static_cast<std::uint64_t>(identity.size)) + kStep);
  hash = mix((hash ^ identity.inode) + kStep);
  // A sibling that is a hard link of its file is another representation all the same.
  if (coding != http::ContentCoding::kIdentity) {
    hash = mix((hash ^ static_cast<std::uint64_t>(coding)) + kStep);
  }
  std::string tag = "\"";
  for (int digit = 0; digit < 11; ++digit) {
    tag.push_back(kAlphabet[hash & 63]);
    hash >>= 6;
  }
  tag.push_back('"');
  return tag;
}

SchemeHead::SchemeHead(int status, http::Fields fields, std::string_view hsts) {
  if (!hsts.empty()) {
    http::Fields secure = fields;
    secure.set("strict-transport-security", hsts);
    secure_ = std::make_shared<http::PreparedHead>(status, std::move(secure));
  }
  plain_ = std::make_shared<http::PreparedHead>(status, std::move(fields));
}

std::size_t SchemeHead::bytes() const { return bytes_of(plain_) + bytes_of(secure_); }

FileHeads HeadMaker::file(const DescribedFile& file) const {
  const std::vector<http::FieldRule>& rules = options_.field_rules;
  FileHeads heads;
  heads.etag = make_etag(file.identity, file.coding);
  http::Fields ok;
  ok.add("content-type", http::media_type_of(file.file_path));
  ok.add("content-length", std::to_string(file.identity.size));
  ok.add("etag", heads.etag);
  const std::int64_t modified =
      std::min(floor_seconds(file.identity.modified_ns), file.now_unix_seconds);
  if (modified >= 0) {
    heads.last_modified = modified;
    const auto date = http::format_date(modified);
    ok.add("last-modified", {date.data(), date.size()});
  }
  ok.add("accept-ranges", "bytes");
  http::Fields not_modified;
  not_modified.add("etag", heads.etag);
  if (file.coding != http::ContentCoding::kIdentity) {
    ok.add("content-encoding", to_string(file.coding));
  }
  if (!file.vary.empty()) {
    ok.add("vary", file.vary);
    not_modified.add("vary", file.vary);
  }
  http::apply_rules(rules, true, file.request_path, file.file_path, ok);
  http::apply_rules(rules, true, file.request_path, file.file_path, not_modified);
  // What describes the content is left out (RFC 9110 section 15.4.5): the client has it.
  not_modified.remove("content-type");
  not_modified.remove("content-language");
  heads.ok = head(200, std::move(ok));
  heads.not_modified = head(304, std::move(not_modified));
  return heads;
}

SchemeHead HeadMaker::directory_redirect(std::string_view path) const {
  http::Fields fields;
  fields.add("location", http::encode_path(path) + "/");
  fields.add("content-length", "0");
  http::apply_rules(options_.field_rules, false, path, {}, fields);
  return head(301, std::move(fields));
}

SchemeHead HeadMaker::listing(std::string_view path, std::size_t size) const {
  http::Fields fields;
  fields.add("content-type", "text/html; charset=utf-8");
  fields.add("content-length", std::to_string(size));
  // Names are escaped; should one get through all the same, it can do nothing.
  fields.add("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'");
  fields.add("x-content-type-options", "nosniff");
  http::apply_rules(options_.field_rules, false, path, {}, fields);
  return head(200, std::move(fields));
}

SchemeHead HeadMaker::error(int status, std::string_view content_type, std::uint64_t size) const {
  http::Fields fields;
  if (status == 405) fields.add("allow", "GET, HEAD");
  fields.add("content-type", content_type);
  fields.add("content-length", std::to_string(size));
  // Another Accept would have been given the fallback: caches are to know.
  if (status == 404 && !options_.fallback.empty()) fields.add("vary", "accept");
  return head(status, std::move(fields));
}

}  // namespace perch::server
