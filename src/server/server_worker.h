// One worker's share of a server: its connections in all states, what they borrow while they are
// active, and the sweeps that park them and enforce deadlines.
//
// Thread-safety: everything on the worker's thread, except counters() and what says otherwise.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <latch>
#include <memory>
#include <span>
#include <vector>

#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "perch/http/output_queue.h"
#include "perch/memory/buffer_pool.h"
#include "perch/memory/parked_store.h"
#include "perch/net/reactor.h"
#include "perch/net/unique_fd.h"
#include "perch/task/post.h"
#include "perch/task/timer.h"
#include "perch/task/worker.h"
#include "server/connection.h"
#include "server/connection_table.h"
#include "server/counters.h"
#include "server/date_clock.h"
#include "server/shared_state.h"

namespace perch::server {

// The steps of a drain; each is taken once, in order, and the last may come at any time.
enum class DrainStep : std::uint8_t {
  kServing,
  kNotice,  // no more accepting; every client is told that the end is near
  kFinal,   // later requests are ignored; connections end with their last stream
  kCutOff,  // what is left is closed
};

struct Accepted {
  net::UniqueFd fd;
  bool secure = false;
};

class ServerWorker {
 public:
  // `worker` outlives this, and its thread has not started yet.
  ServerWorker(SharedState& shared, task::Worker& worker);
  // REQUIRES: the worker's thread has ended, or runs this.
  ~ServerWorker();
  ServerWorker(const ServerWorker&) = delete;
  ServerWorker& operator=(const ServerWorker&) = delete;

  // Before the thread starts.
  void set_tls_context(std::shared_ptr<const tls::ServerContext> context) {
    tls_context_ = std::move(context);
  }
  // Registers the shared listeners. Before the thread starts.
  Result<void> watch_listeners();

  // Any thread.
  void request_drain(DrainStep step);
  const WorkerCounters& counters() const { return counters_; }
  // Hands an accepted connection to this worker.
  void hand_over(Accepted accepted);
  // The same for what new connections to https listeners get.
  void hand_over_tls_context(std::shared_ptr<const tls::ServerContext> context);
  // Counts down at the beginning of a turn of the worker's loop.
  void count_down(std::latch& latch);
  // Its connections in any state, and those on their way to it.
  std::uint32_t load() const { return load_.load(std::memory_order_relaxed); }

  // --- for Connection, on the worker's thread
  WorkerCounters& counters() { return counters_; }
  const SharedState& shared() const { return shared_; }
  Instant now() const { return worker_.now(); }
  DateClock& date() { return date_; }
  std::span<std::byte> read_buffer() { return read_buffer_.span(); }
  memory::BufferPool& input_buffers() { return input_buffers_; }
  http::OutputQueue& output() { return output_; }
  // Ciphertext that waits to be written; empty whenever no connection is at work.
  std::vector<std::byte>& sealed() { return sealed_; }
  // Room for one record's plaintext.
  std::span<std::byte> record_buffer() { return record_buffer_.span(); }
  const std::shared_ptr<const tls::ServerContext>& tls_context() const { return tls_context_; }
  DrainStep drain_step() const { return drain_step_; }
  void handshake_began() { ++handshakes_; }
  void handshake_ended() { --handshakes_; }
  void defer(task::Deferred& deferred) { worker_.defer(deferred); }
  // There was traffic: the grace before parking begins again.
  void touch(Connection& connection);
  // Ends the connection if that is what `disposition` says; the last thing done with it.
  void act_on(Connection& connection, Disposition disposition);

 private:
  struct ConnectionEvents final : net::EventSink {
    explicit ConnectionEvents(ServerWorker& worker) : owner(worker) {}
    void on_io(std::uint32_t slot, std::uint32_t generation,
               net::IoEvents events) noexcept override;
    ServerWorker& owner;
  };
  struct ListenerEvents final : net::EventSink {
    explicit ListenerEvents(ServerWorker& worker) : owner(worker) {}
    void on_io(std::uint32_t slot, std::uint32_t generation,
               net::IoEvents events) noexcept override;
    ServerWorker& owner;
  };
  struct SweepTimer final : task::Timer {
    explicit SweepTimer(ServerWorker& worker) : Timer(&fire), owner(worker) {}
    static void fire(task::Timer& timer) noexcept;
    ServerWorker& owner;
  };
  struct AcceptTimer final : task::Timer {
    explicit AcceptTimer(ServerWorker& worker) : Timer(&fire), owner(worker) {}
    static void fire(task::Timer& timer) noexcept;
    ServerWorker& owner;
  };
  // Runs `work` on the worker's thread, whichever thread calls.
  template <class Work>
  void post(Work work);
  struct DrainWork final : task::Deferred {
    explicit DrainWork(ServerWorker& worker) : Deferred(&run_batch), owner(worker) {}
    static void run_batch(task::Deferred& deferred) noexcept;
    ServerWorker& owner;
  };

  // server_worker.cc: slots and their states
  void add_connection(Accepted accepted);
  void on_connection_io(std::uint32_t index, Slot& slot, net::IoEvents events);
  void first_bytes(std::uint32_t index, Slot& slot, net::IoEvents events);
  void discard_input(std::uint32_t index, Slot& slot);
  Connection* activate(std::uint32_t index, Slot& slot);
  void deactivate(Slot& slot);
  void linger(Connection& connection);
  void close_slot(std::uint32_t index);
  std::uint32_t tick() const;

  // accept.cc
  void accept_some(std::size_t listener);
  void place(Accepted accepted);
  void refuse(const Accepted& accepted);
  void pause_accepting();
  void stop_accepting();
  void give_up_listeners();

  // parking.cc
  void park(Connection& connection);
  void try_to_park(Connection& connection);
  Duration grace_of(const Slot& slot) const;
  void settle(Connection& connection);
  void arm_sweep();
  void sweep();
  void sweep_fresh();
  void check_fresh();
  void sweep_settled();
  void sweep_table(std::uint32_t slots);
  void expire(std::uint32_t index, Slot& slot);
  void end_linger(std::uint32_t index, Slot& slot);
  void trim();

  // drain.cc
  void close_all();
  void drain_batch();
  void drain_slot(std::uint32_t index, Slot& slot);

  SharedState& shared_;
  task::Worker& worker_;
  ConnectionEvents connection_events_{*this};
  ListenerEvents listener_events_{*this};
  SweepTimer sweep_timer_{*this};
  AcceptTimer accept_timer_{*this};
  DrainWork drain_work_{*this};

  ConnectionTable table_;
  memory::ParkedStore store_;
  memory::BufferPool input_buffers_;
  memory::Buffer read_buffer_;
  http::OutputQueue output_;
  std::vector<std::byte> record_;  // scratch of park()
  std::shared_ptr<const tls::ServerContext> tls_context_;
  std::vector<std::byte> sealed_;
  memory::Buffer record_buffer_;
  DateClock date_;
  WorkerCounters counters_;

  IntrusiveList<Connection> fresh_;    // by last activity, the oldest first
  IntrusiveList<Connection> settled_;  // looked at about once a second
  Instant next_settled_sweep_;
  Instant next_sweep_;  // while sweep_timer_ is armed
  std::uint32_t active_ = 0;
  std::uint32_t handshakes_ = 0;  // TLS, under way
  std::uint32_t parked_since_trim_ = 0;
  std::uint32_t sweep_cursor_ = 0;

  std::atomic<std::uint32_t> load_{0};  // raised by whoever places a connection; relaxed: a hint
  std::atomic<DrainStep> requested_step_{DrainStep::kServing};
  DrainStep drain_step_ = DrainStep::kServing;
  std::uint32_t drain_cursor_ = 0;
  bool accepting_ = false;
};

template <class Work>
void ServerWorker::post(Work work) {
  struct Posted final : task::Post {
    explicit Posted(Work given) : Post{&finish, nullptr}, work(std::move(given)) {}
    static void finish(task::Post& arrived) noexcept {
      const std::unique_ptr<Posted> owned(static_cast<Posted*>(&arrived));
      owned->work();
    }
    Work work;
  };
  worker_.post(*new Posted(std::move(work)));
}

}  // namespace perch::server
