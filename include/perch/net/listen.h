// Listening sockets and accepting from them, without waiting. See tcp_listener.h for coroutines.
#pragma once

#include "perch/base/error.h"
#include "perch/net/endpoint.h"
#include "perch/net/unique_fd.h"

namespace perch::net {

struct ListenOptions {
  int backlog = 4096;       // the kernel caps it (net.core.somaxconn)
  bool reuse_port = false;  // SO_REUSEPORT: one listener per worker, the kernel spreads connections
};

// A non-blocking, close-on-exec TCP listener with SO_REUSEADDR, with keepalive probes on what it
// accepts, and IPV6_V6ONLY for IPv6, so that
// [::]:p and 0.0.0.0:p can be had together. Errors: kAddressInUse ("listen on 127.0.0.1:80: address
// in use"), kPermissionDenied, kSystem.
Result<UniqueFd> listen(const Endpoint& endpoint, ListenOptions options = {});

// Makes a listener that came from elsewhere like one of `listen`: non-blocking, close-on-exec, with
// keepalive. Error kInvalidArgument: it is no listening TCP socket.
Result<void> adopt_listener(int fd);

// An IPv6 listener that takes IPv4 connections too.
bool takes_both_versions(int fd);

// The address that a socket is bound to: tells the port after listening on port 0.
Result<Endpoint> local_endpoint(int fd);

struct AcceptOutcome {
  enum class Kind {
    kConnection,        // fd and peer are valid
    kWouldBlock,        // nobody is waiting to be accepted
    kOutOfDescriptors,  // EMFILE or ENFILE (or no memory): stop accepting until some are closed;
                        // the connection stays in the backlog
    kTransient,         // this one connection failed before it was accepted: go on accepting
    kFailed,            // the listener itself is unusable; see `system_error`
  };
  Kind kind;
  UniqueFd fd;  // non-blocking, close-on-exec, TCP_NODELAY
  Endpoint peer;
  int system_error = 0;
};

AcceptOutcome accept_one(int listener_fd);

}  // namespace perch::net
