// Where to listen, as users write it: http://HOST[:PORT] or https://HOST[:PORT].
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace perch::net {

struct ListenAddress {
  std::string host;         // a name, an IPv4 address, an IPv6 address without its brackets, or "*"
  std::uint16_t port = 80;  // 443 for https, where none is given
  bool secure = false;      // https

  friend bool operator==(const ListenAddress&, const ListenAddress&) = default;
};

// The error says what is wrong, to be read after the URL: "has a path". Port 0 lets the kernel
// choose.
std::expected<ListenAddress, std::string> parse_listen_url(std::string_view url);

}  // namespace perch::net
