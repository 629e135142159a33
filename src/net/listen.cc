#include "perch/net/listen.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

namespace perch::net {
namespace {

bool set_option(int fd, int level, int option, int value) {
  return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}
bool set_flag(int fd, int level, int option) { return set_option(fd, level, option, 1); }

// Accepted connections inherit it: a peer that vanished without a word is found out within about
// seven minutes, at no cost to the others but an empty segment every five.
bool set_keepalive(int fd) {
  return set_flag(fd, SOL_SOCKET, SO_KEEPALIVE) && set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 300) &&
         set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 30) &&
         set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

Error listen_error(const Endpoint& endpoint, int system_error) {
  const std::string what = "listen on " + endpoint.to_string();
  if (system_error == EADDRINUSE) {
    return Error(ErrorCode::kAddressInUse, what + ": address in use", Fault::kSystem);
  }
  return Error::from_errno(system_error, what);
}

}  // namespace

Result<UniqueFd> listen(const Endpoint& endpoint, ListenOptions options) {
  if (!endpoint.valid()) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument, "listen: no address"));
  }
  const int family = endpoint.is_ipv6() ? AF_INET6 : AF_INET;
  UniqueFd fd(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return std::unexpected(listen_error(endpoint, errno));
  if (!set_flag(fd.get(), SOL_SOCKET, SO_REUSEADDR) || !set_keepalive(fd.get()) ||
      (options.reuse_port && !set_flag(fd.get(), SOL_SOCKET, SO_REUSEPORT)) ||
      (endpoint.is_ipv6() && !set_flag(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY)) ||
      bind(fd.get(), static_cast<const sockaddr*>(endpoint.sockaddr()),
           static_cast<socklen_t>(endpoint.sockaddr_size())) != 0 ||
      ::listen(fd.get(), options.backlog) != 0) {
    return std::unexpected(listen_error(endpoint, errno));
  }
  return fd;
}

Result<void> adopt_listener(int fd) {
  const auto option_of = [&](int option) {
    int value = 0;
    socklen_t size = sizeof value;
    return getsockopt(fd, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
  };
  const int family = option_of(SO_DOMAIN);
  if ((family != AF_INET && family != AF_INET6) || option_of(SO_TYPE) != SOCK_STREAM ||
      option_of(SO_ACCEPTCONN) != 1) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument, "descriptor " + std::to_string(fd) +
                                                                  " is no listening TCP socket"));
  }
  const int status = fcntl(fd, F_GETFL);
  if (status < 0 || fcntl(fd, F_SETFL, status | O_NONBLOCK) != 0 ||
      fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || !set_keepalive(fd)) {
    return std::unexpected(Error::from_errno(errno, "inherited listener"));
  }
  return {};
}

bool takes_both_versions(int fd) {
  int only = 1;
  socklen_t size = sizeof only;
  return getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, &size) == 0 && only == 0;
}

Result<Endpoint> local_endpoint(int fd) {
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return std::unexpected(Error::from_errno(errno, "getsockname"));
  }
  return Endpoint(&address, size);
}

AcceptOutcome accept_one(int listener_fd) {
  using Kind = AcceptOutcome::Kind;
  sockaddr_storage address;
  socklen_t size = sizeof(address);
  const int fd = accept4(listener_fd, reinterpret_cast<sockaddr*>(&address), &size,
                         SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd >= 0) {
    AcceptOutcome outcome{Kind::kConnection, UniqueFd(fd), Endpoint(&address, size)};
    // Responses are gathered before they are written; waiting for more would only delay the last.
    set_flag(fd, IPPROTO_TCP, TCP_NODELAY);
    return outcome;
  }
  const int error = errno;
  Kind kind = Kind::kTransient;
  switch (error) {
    case EAGAIN:
      kind = Kind::kWouldBlock;
      break;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
      kind = Kind::kOutOfDescriptors;
      break;
    case EBADF:
    case EINVAL:
    case ENOTSOCK:
    case EOPNOTSUPP:
    case EFAULT:
      kind = Kind::kFailed;
      break;
    default:
      // accept(2): errors of the new connection are passed on (ECONNABORTED, EPERM, ENETDOWN,
      // EPROTO, EHOSTUNREACH, ...); they say nothing about the listener.
      break;
  }
  return AcceptOutcome{kind, UniqueFd(), Endpoint(), error};
}

}  // namespace perch::net
