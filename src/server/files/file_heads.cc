#include "server/files/file_heads.h"

#include <algorithm>
#include <utility>

#include "perch/http/date.h"
#include "perch/http/media_type.h"

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

}  // namespace

std::string make_etag(const FileIdentity& identity) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;
  std::uint64_t hash = mix(static_cast<std::uint64_t>(identity.modified_ns) + kStep);
  hash = mix((hash ^ static_cast<std::uint64_t>(identity.size)) + kStep);
  hash = mix((hash ^ identity.inode) + kStep);
  std::string tag = "\"";
  for (int digit = 0; digit < 11; ++digit) {
    tag.push_back(kAlphabet[hash & 63]);
    hash >>= 6;
  }
  tag.push_back('"');
  return tag;
}

FileHeads make_file_heads(std::string_view file_name, const FileIdentity& identity,
                          std::int64_t now_unix_seconds) {
  FileHeads heads;
  heads.etag = make_etag(identity);
  http::Fields ok;
  ok.add("content-type", http::media_type_of(file_name));
  ok.add("content-length", std::to_string(identity.size));
  ok.add("etag", heads.etag);
  const std::int64_t modified = std::min(floor_seconds(identity.modified_ns), now_unix_seconds);
  if (modified >= 0) {
    heads.last_modified = modified;
    const auto date = http::format_date(modified);
    ok.add("last-modified", {date.data(), date.size()});
  }
  http::Fields not_modified;
  not_modified.add("etag", heads.etag);
  heads.ok = std::make_shared<http::PreparedHead>(200, std::move(ok));
  heads.not_modified = std::make_shared<http::PreparedHead>(304, std::move(not_modified));
  return heads;
}

SharedHead make_redirect_head(std::string_view location) {
  http::Fields fields;
  fields.add("location", location);
  fields.add("content-length", "0");
  return std::make_shared<http::PreparedHead>(301, std::move(fields));
}

ErrorAnswer::ErrorAnswer(int status, http::Fields more) {
  const std::string page =
      std::to_string(status).append(" ").append(http::reason_phrase(status)).append("\n");
  page_ = Bytes::copy(page);
  more.add("content-type", "text/plain; charset=utf-8");
  more.add("content-length", std::to_string(page.size()));
  head_ = std::make_shared<http::PreparedHead>(status, std::move(more));
}

}  // namespace perch::server
