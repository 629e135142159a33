#include "perch/net/tcp_stream.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "perch/base/check.h"
#include "perch/task/wait.h"

namespace perch::net {
namespace {

bool would_block(int system_error) { return system_error == EAGAIN || system_error == EWOULDBLOCK; }

// 0 when connected, EINPROGRESS when not yet, else what went wrong. A bare SO_ERROR of 0 says the
// same while the handshake goes on, so the peer's address is asked for as well.
int connect_progress(int fd) {
  int error = 0;
  socklen_t size = sizeof(error);
  if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  if (error != 0) return error;
  sockaddr_storage peer;
  size = sizeof(peer);
  if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0) return 0;
  return errno == ENOTCONN ? EINPROGRESS : errno;
}

}  // namespace

Result<TcpStream> TcpStream::adopt(UniqueFd fd) {
  Result<Socket> socket = Socket::adopt(std::move(fd));
  if (!socket) return std::unexpected(std::move(socket).error());
  return TcpStream(std::move(*socket));
}

task::Task<Result<TcpStream>> TcpStream::connect(Endpoint endpoint, Deadline deadline) {
  if (!endpoint.valid()) {
    co_return std::unexpected(Error(ErrorCode::kInvalidArgument, "connect: no address"));
  }
  const std::string what = "connect to " + endpoint.to_string();
  if (task::is_cancelled()) co_return std::unexpected(Error::cancelled());
  const int family = endpoint.is_ipv6() ? AF_INET6 : AF_INET;
  UniqueFd fd(::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) co_return std::unexpected(Error::from_errno(errno, what));
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

  int error = 0;
  if (::connect(fd.get(), static_cast<const sockaddr*>(endpoint.sockaddr()),
                static_cast<socklen_t>(endpoint.sockaddr_size())) != 0) {
    error = errno;
  }
  if (error != 0 && error != EINPROGRESS) co_return std::unexpected(Error::from_errno(error, what));
  Result<Socket> socket = Socket::adopt(std::move(fd));
  if (!socket) co_return std::unexpected(std::move(socket).error());
  while (error == EINPROGRESS) {
    const task::WaitResult ready = co_await socket->ready(Direction::kWrite, deadline);
    if (!ready) co_return std::unexpected(ready.error());
    error = connect_progress(socket->fd());
  }
  if (error != 0) co_return std::unexpected(Error::from_errno(error, what));
  co_return TcpStream(std::move(*socket));
}

task::Task<Result<std::size_t>> TcpStream::read_some(std::span<std::byte> buffer,
                                                     Deadline deadline) {
  PERCH_CHECK(!buffer.empty());
  if (task::is_cancelled()) co_return std::unexpected(Error::cancelled());
  for (;;) {
    const ssize_t count = recv(socket_.fd(), buffer.data(), buffer.size(), 0);
    if (count >= 0) co_return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    if (!would_block(errno)) co_return std::unexpected(Error::from_errno(errno, "read"));
    const task::WaitResult ready = co_await socket_.ready(Direction::kRead, deadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
}

task::Task<Result<void>> TcpStream::write_all(std::span<const std::byte> data, Deadline deadline) {
  if (task::is_cancelled()) co_return std::unexpected(Error::cancelled());
  while (!data.empty()) {
    const ssize_t count = send(socket_.fd(), data.data(), data.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      data = data.subspan(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (!would_block(errno)) co_return std::unexpected(Error::from_errno(errno, "write"));
    const task::WaitResult ready = co_await socket_.ready(Direction::kWrite, deadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
  co_return Result<void>();
}

Result<void> TcpStream::shutdown_write() {
  if (::shutdown(socket_.fd(), SHUT_WR) == 0) return {};
  return std::unexpected(Error::from_errno(errno, "shutdown"));
}

}  // namespace perch::net
