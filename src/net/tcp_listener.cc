#include "perch/net/tcp_listener.h"

#include "perch/task/wait.h"

namespace perch::net {

Result<TcpListener> TcpListener::listen(const Endpoint& endpoint, ListenOptions options) {
  Result<UniqueFd> fd = net::listen(endpoint, options);
  if (!fd) return std::unexpected(std::move(fd).error());
  Result<Socket> socket = Socket::adopt(std::move(*fd));
  if (!socket) return std::unexpected(std::move(socket).error());
  return TcpListener(std::move(*socket));
}

task::Task<Result<TcpStream>> TcpListener::accept(Deadline deadline) {
  using Kind = AcceptOutcome::Kind;
  if (task::is_cancelled()) co_return std::unexpected(Error::cancelled());
  for (;;) {
    AcceptOutcome outcome = accept_one(socket_.fd());
    switch (outcome.kind) {
      case Kind::kConnection:
        co_return TcpStream::adopt(std::move(outcome.fd));
      case Kind::kTransient:
        continue;
      case Kind::kOutOfDescriptors:
        co_return std::unexpected(
            Error(ErrorCode::kLimitExceeded, "accept: out of descriptors", Fault::kSystem));
      case Kind::kFailed:
        co_return std::unexpected(Error::from_errno(outcome.system_error, "accept"));
      case Kind::kWouldBlock:
        break;
    }
    const task::WaitResult ready = co_await socket_.ready(Direction::kRead, deadline);
    if (!ready) co_return std::unexpected(ready.error());
  }
}

}  // namespace perch::net
