#include "perch/net/endpoint.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <cstring>

#include "perch/base/check.h"

namespace perch::net {

static_assert(Endpoint::kCapacity == sizeof(sockaddr_in6));

Endpoint::Endpoint(const void* sockaddr, std::size_t size) {
  sa_family_t family = AF_UNSPEC;
  if (size < offsetof(sockaddr_in, sin_family) + sizeof(family)) return;
  std::memcpy(&family, static_cast<const char*>(sockaddr) + offsetof(sockaddr_in, sin_family),
              sizeof(family));
  const std::size_t expected = family == AF_INET    ? sizeof(sockaddr_in)
                               : family == AF_INET6 ? sizeof(sockaddr_in6)
                                                    : 0;
  if (expected == 0 || size < expected) return;
  std::memcpy(storage_.data(), sockaddr, expected);
  size_ = static_cast<std::uint32_t>(expected);
}

bool Endpoint::is_ipv6() const { return size_ == sizeof(sockaddr_in6); }

std::uint16_t Endpoint::port() const {
  // Both families keep it in the same place.
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  in_port_t port = 0;
  std::memcpy(&port, storage_.data() + offsetof(sockaddr_in, sin_port), sizeof(port));
  return ntohs(port);
}

Endpoint Endpoint::with_port(std::uint16_t port) const {
  PERCH_CHECK(valid());
  Endpoint result = *this;
  const in_port_t network_order = htons(port);
  std::memcpy(result.storage_.data() + offsetof(sockaddr_in, sin_port), &network_order,
              sizeof(network_order));
  return result;
}

std::string Endpoint::to_string() const {
  if (!valid()) return {};
  char text[INET6_ADDRSTRLEN] = {};
  if (is_ipv6()) {
    sockaddr_in6 address;
    std::memcpy(&address, storage_.data(), sizeof(address));
    inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof(text));
    return "[" + std::string(text) + "]:" + std::to_string(port());
  }
  sockaddr_in address;
  std::memcpy(&address, storage_.data(), sizeof(address));
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof(text));
  return std::string(text) + ":" + std::to_string(port());
}

}  // namespace perch::net
