// What the workers of one server have in common.
#pragma once

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

// Fixed once the workers run, except for the atomics.
struct SharedState {
  ServerOptions options;
  http::Router router;
  std::vector<net::UniqueFd> listeners;
  std::vector<std::unique_ptr<ServerWorker>> workers;
  std::uint32_t max_connections = 0;

  // Connections in any state, of all workers; relaxed: a bound, not a synchronisation.
  std::atomic<std::uint32_t> open{0};
  std::atomic<std::uint32_t> parked{0};
  std::atomic<std::uint32_t> parked_at_most{0};

  // Workers that may still accept; the last one to give that up closes the ports.
  std::atomic<std::uint32_t> serving_workers{0};

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
