// The life of `perch-load idle`: open, hold, probe, close.
//
// One thread, one reactor. Connections lie in a table; a slot's generation changes when its
// connection ends, so that late events of it are dropped.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <vector>

#include "perch-load/connection.h"
#include "perch-load/progress.h"
#include "perch-load/run_options.h"
#include "perch-load/run_result.h"
#include "perch/net/endpoint.h"
#include "perch/net/reactor.h"

namespace perch::load {

class IdleRun final : private net::EventSink {
 public:
  // Borrows all but `tls`, which is null for cleartext. `stop` may be set at any time, by a signal
  // handler say: the phase that runs then ends early. REQUIRES: `targets` is not empty.
  IdleRun(net::Reactor& reactor, const RunOptions& options, std::vector<net::Endpoint> targets,
          std::unique_ptr<const TlsClientContext> tls, Progress& progress,
          const std::atomic<bool>& stop);
  ~IdleRun();

  // Once.
  RunResult run();

 private:
  enum class Phase : std::uint8_t { kUnused, kOpening, kIdle, kProbing, kOver };

  struct Slot {
    Connection connection;
    Answer first;
    Instant sent;
    std::uint32_t generation = 0;
    Phase phase = Phase::kUnused;
  };
  // A request that waits for its answer; in order of `since`.
  struct Pending {
    std::uint32_t slot;
    std::uint32_t generation;
    Phase phase;
    Instant since;
  };

  void open_all();
  void hold();
  void probe();
  void close_all();

  void open(std::uint32_t slot);
  std::string start(std::uint32_t slot);  // why it failed at once, or an empty text
  void opening_failed(std::uint32_t slot, const std::string& why);
  void send_probe(std::uint32_t slot);
  void on_io(std::uint32_t slot, std::uint32_t generation, net::IoEvents events) noexcept override;
  void on_answer(std::uint32_t slot, const Answer& answer);
  void on_lost(std::uint32_t slot, const std::string& why);
  void leave(std::uint32_t slot);  // closes
  void expire();
  void sample(const char* when);
  void turn(Duration longest);
  void tell(bool last = false);
  bool stopped() const { return stop_.load(std::memory_order_relaxed); }

  net::Reactor& reactor_;
  const RunOptions& options_;
  std::vector<net::Endpoint> targets_;
  Progress& progress_;
  const std::atomic<bool>& stop_;

  std::unique_ptr<Loop> loop_;
  std::vector<Slot> slots_;
  std::deque<Pending> pending_;
  std::size_t target_ = 0;
  std::size_t opening_ = 0;
  std::size_t probing_ = 0;
  std::size_t failures_in_a_row_ = 0;
  const char* phase_name_ = "";
  Instant phase_end_;
  RunResult result_;
};

}  // namespace perch::load
