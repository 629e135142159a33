// Endpoint: an IPv4 or IPv6 address and a port.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/error.h"

namespace perch::net {

// A value: the kernel's socket address, kept as opaque bytes.
class Endpoint {
 public:
  // sizeof(sockaddr_in6); checked in endpoint.cc.
  static constexpr std::size_t kCapacity = 28;

  Endpoint() = default;  // no address: valid() is false
  // Copies `size` bytes of a sockaddr. Only AF_INET and AF_INET6 make a valid Endpoint.
  Endpoint(const void* sockaddr, std::size_t size);

  bool valid() const { return size_ != 0; }
  bool is_ipv6() const;
  std::uint16_t port() const;
  // The same address with another port. REQUIRES: valid.
  Endpoint with_port(std::uint16_t port) const;

  // "127.0.0.1:80", "[::1]:80", "" when not valid.
  std::string to_string() const;

  // For the socket calls: a sockaddr and its size.
  const void* sockaddr() const { return storage_.data(); }
  std::size_t sockaddr_size() const { return size_; }

  friend bool operator==(const Endpoint& a, const Endpoint& b) {
    return a.size_ == b.size_ && a.storage_ == b.storage_;
  }

 private:
  alignas(8) std::array<std::byte, kCapacity> storage_{};
  std::uint32_t size_ = 0;
};

// The addresses of a host, in the resolver's order, without duplicates. "*" gives [::] and 0.0.0.0;
// "localhost" gives 127.0.0.1 and ::1 without asking anybody; brackets around an IPv6 address are
// allowed. Blocks (getaddrinfo): not for a worker's thread unless the host is one of the above or
// numeric. Errors: kNotFound, kSystem.
Result<std::vector<Endpoint>> resolve(std::string_view host, std::uint16_t port);

}  // namespace perch::net
