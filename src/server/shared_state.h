// What the workers of one server have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "perch/http/router.h"
#include "perch/net/unique_fd.h"
#include "perch/server/server.h"

namespace perch::server {

class ServerWorker;

struct Listener {
  net::UniqueFd fd;
  bool secure;  // by TLS
  // Other processes have the same socket: shutting it down would end it for them too.
  bool shared = false;
};

// Fixed once the workers run, except for the atomics.
struct SharedState {
  ServerOptions options;
  http1::SessionOptions secure_http1;  // options.http1 with the scheme "https"
  http::Router router;
  std::vector<Listener> listeners;
  std::vector<std::unique_ptr<ServerWorker>> workers;
  std::uint32_t max_connections = 0;

  // Connections in any state, of all workers; relaxed: a bound, not a synchronisation.
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint32_t> parked{0};
  std::atomic<std::uint32_t> parked_at_most{0};

  // Workers that may still accept; the last one to give that up closes the ports.
  std::atomic<std::uint32_t> serving_workers{0};

  // What a request's body may have under way, whatever the version.
  std::size_t body_window() const {
    return std::max(options.http2.initial_window_bytes, options.http1.body_window_bytes);
  }
  const http1::SessionOptions& http1_options(bool secure) const {
    return secure ? secure_http1 : options.http1;
  }
  Duration idle_timeout(bool http1) const {
    return http1 ? options.http1_idle_timeout : options.idle_timeout;
  }

  void log(LogLevel level, std::string_view line) const { options.log(level, line); }

  void note_parked() {
    const std::uint32_t now = parked.fetch_add(1, std::memory_order_relaxed) + 1;
    std::uint32_t most = parked_at_most.load(std::memory_order_relaxed);
    while (now > most &&
           !parked_at_most.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
    }
  }
  void note_unparked() { parked.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace perch::server
