#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "perch/net/endpoint.h"

namespace perch::net {
namespace {

Endpoint ipv4(in_addr_t host_order, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host_order);
  address.sin_port = htons(port);
  return Endpoint(&address, sizeof(address));
}

Endpoint ipv6(const in6_addr& host, std::uint16_t port) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = host;
  address.sin6_port = htons(port);
  return Endpoint(&address, sizeof(address));
}

}  // namespace

Result<std::vector<Endpoint>> resolve(std::string_view host, std::uint16_t port) {
  if (host == "*") return std::vector{ipv6(in6addr_any, port), ipv4(INADDR_ANY, port)};
  if (host == "localhost") {
    return std::vector{ipv4(INADDR_LOOPBACK, port), ipv6(in6addr_loopback, port)};
  }
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  const std::string name(host);
  if (name.empty()) return std::unexpected(Error(ErrorCode::kInvalidArgument, "host is empty"));

  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int code = getaddrinfo(name.c_str(), nullptr, &hints, &found);
  if (code == EAI_SYSTEM) return std::unexpected(Error::from_errno(errno, "resolve " + name));
  if (code != 0) {
    return std::unexpected(
        Error(ErrorCode::kNotFound, "resolve " + name + ": " + gai_strerror(code), Fault::kSystem));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(found, &freeaddrinfo);
  std::vector<Endpoint> endpoints;
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    Endpoint endpoint(entry->ai_addr, entry->ai_addrlen);
    if (!endpoint.valid()) continue;
    endpoint = endpoint.with_port(port);
    if (std::find(endpoints.begin(), endpoints.end(), endpoint) == endpoints.end()) {
      endpoints.push_back(endpoint);
    }
  }
  if (endpoints.empty()) {
    return std::unexpected(
        Error(ErrorCode::kNotFound, "resolve " + name + ": no IP address", Fault::kSystem));
  }
  return endpoints;
}

}  // namespace perch::net
