#include "perch-load/target_url.h"

#include <algorithm>
#include <charconv>

namespace perch::load {

std::expected<TargetUrl, std::string> parse_target_url(std::string_view url) {
  TargetUrl target;
  target.secure = url.starts_with("https://");
  if (!target.secure && !url.starts_with("http://")) {
    return std::unexpected("does not begin with http:// or https://");
  }
  if (std::ranges::any_of(url, [](unsigned char c) { return c <= ' ' || c >= 0x7f; })) {
    return std::unexpected("has a character that must be percent-encoded");
  }
  url = url.substr(0, url.find('#'));  // never sent (RFC 9110 section 4.2.5)
  url.remove_prefix(target.scheme().size() + std::string_view("://").size());
  if (target.secure) target.port = 443;

  const std::size_t end = std::min(url.find_first_of("/?"), url.size());
  target.authority = url.substr(0, end);
  if (end < url.size()) {
    target.path = url.substr(end);
    if (target.path.front() == '?') target.path.insert(0, 1, '/');
  }
  std::string_view authority = target.authority;
  if (authority.find('@') != authority.npos) return std::unexpected("has a user name");
  std::size_t colon = authority.find(':');
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == authority.npos) return std::unexpected("has a `[` without its `]`");
    target.host = authority.substr(1, bracket - 1);
    colon = bracket + 1;
    if (colon == authority.size()) {
      colon = authority.npos;
    } else if (authority[colon] != ':') {
      return std::unexpected("has text after its `]`");
    }
  } else {
    target.host = authority.substr(0, colon);
  }
  if (target.host.empty()) return std::unexpected("has no host");
  if (colon == authority.npos) return target;

  const std::string_view port = authority.substr(colon + 1);
  const auto [after, error] = std::from_chars(port.data(), port.data() + port.size(), target.port);
  if (error != std::errc{} || after != port.data() + port.size() || target.port == 0) {
    return std::unexpected("has no port from 1 to 65535 after its colon");
  }
  return target;
}

}  // namespace perch::load
