#include "perch/net/listen_url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "perch/base/ascii.h"

namespace perch::net {
namespace {

bool is_label_char(char c) {
  return is_digit(c) || (to_lower(c) >= 'a' && to_lower(c) <= 'z') || c == '-' || c == '_';
}

bool is_address(int family, const std::string& text) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(family, text.c_str(), address) == 1;
}

// An empty text says that the host is good.
std::string wrong_with_host(const std::string& host) {
  if (host.empty()) return "has no host";
  if (host == "*") return {};
  if (host.size() > 253) return "has a host of more than 253 characters";
  const auto bad =
      std::ranges::find_if_not(host, [](char c) { return is_label_char(c) || c == '.'; });
  if (bad != host.end()) return fmt::format("has the character {:?} in its host", *bad);
  if (host.starts_with('.') || host.find("..") != host.npos)
    return "has an empty label in its host";
  if (std::ranges::all_of(host, [](char c) { return is_digit(c) || c == '.'; }) &&
      !is_address(AF_INET, host)) {
    return fmt::format("has a host that is not an IPv4 address ({})", host);
  }
  return {};
}

std::expected<std::uint16_t, std::string> parse_port(std::string_view text) {
  if (text.empty()) return std::unexpected("has a colon without a port");
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (!is_digit(text.front()) || end != text.data() + text.size()) {
    return std::unexpected(fmt::format("has a port that is not a number ({:?})", text));
  }
  if (error != std::errc{} || port > 65'535) {
    return std::unexpected(fmt::format("has the port {}, beyond 65535", text));
  }
  return static_cast<std::uint16_t>(port);
}

}  // namespace

std::expected<ListenAddress, std::string> parse_listen_url(std::string_view url) {
  if (url.empty()) return std::unexpected("is empty");
  const std::size_t colon = url.find("://");
  if (colon == url.npos) return std::unexpected("has no scheme");
  const std::string scheme = lowered(url.substr(0, colon));
  if (scheme != "http" && scheme != "https")
    return std::unexpected(fmt::format("has the scheme {:?}", scheme));

  std::string_view rest = url.substr(colon + 3);
  if (rest.find('@') != rest.npos) return std::unexpected("has a user name");
  if (rest.find('?') != rest.npos) return std::unexpected("has a query");
  if (rest.find('#') != rest.npos) return std::unexpected("has a fragment");
  if (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find('/') != rest.npos) return std::unexpected("has a path");

  ListenAddress address;
  address.secure = scheme == "https";
  if (address.secure) address.port = 443;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == rest.npos) return std::unexpected("has a `[` without its `]`");
    address.host = rest.substr(1, end - 1);
    if (!is_address(AF_INET6, address.host)) {
      return std::unexpected(
          fmt::format("has a host that is not an IPv6 address ({})", address.host));
    }
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest.front() != ':') return std::unexpected("has text after its `]`");
  } else {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (std::ranges::count(rest, ':') > 1) {
      return std::unexpected("has several colons (an IPv6 address stands in brackets)");
    }
    address.host = lowered(rest.substr(0, end));
    if (std::string wrong = wrong_with_host(address.host); !wrong.empty()) {
      return std::unexpected(std::move(wrong));
    }
    rest.remove_prefix(end);
  }
  if (!rest.empty()) {
    auto port = parse_port(rest.substr(1));
    if (!port) return std::unexpected(std::move(port.error()));
    address.port = *port;
  }
  return address;
}

}  // namespace perch::net
