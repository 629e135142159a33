// The URL that requests go to: http[s]://HOST[:PORT][/PATH][?QUERY].
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace perch::load {

struct TargetUrl {
  std::string host;  // without brackets
  std::uint16_t port = 80;
  std::string authority;   // as written, for :authority
  std::string path = "/";  // with the query, for :path
  bool secure = false;     // https

  std::string_view scheme() const { return secure ? "https" : "http"; }

  friend bool operator==(const TargetUrl&, const TargetUrl&) = default;
};

// The error says what is wrong, to be read after the URL: "has no host".
std::expected<TargetUrl, std::string> parse_target_url(std::string_view url);

}  // namespace perch::load
