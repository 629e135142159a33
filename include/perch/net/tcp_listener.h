// TcpListener: accepts TCP connections in a coroutine. Bound to the worker that it was made on.
#pragma once

#include <utility>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/net/endpoint.h"
#include "perch/net/listen.h"
#include "perch/net/socket.h"
#include "perch/net/tcp_stream.h"
#include "perch/task/task.h"

namespace perch::net {

class TcpListener {
 public:
  // Errors: those of net::listen.
  static Result<TcpListener> listen(const Endpoint& endpoint, ListenOptions options = {});

  // The address that it listens on, with the port that the system chose for port 0.
  Result<Endpoint> local_endpoint() const { return net::local_endpoint(socket_.fd()); }

  // The next connection. Errors: kLimitExceeded (out of descriptors: close some, then go on),
  // kTimedOut, kCancelled, kSystem. REQUIRES: one task at a time; the listener stays where it is.
  task::Task<Result<TcpStream>> accept(Deadline deadline);

 private:
  explicit TcpListener(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
};

}  // namespace perch::net
