// Reactor: a worker's epoll, with an eventfd to wake it.
//
// Invariants:
//  - a descriptor is registered under a token, not a callback object. The kernel keeps the token;
//    closing the descriptor forgets it (as long as no duplicate of the descriptor lives);
//  - events of one poll are delivered one by one to the token's sink. A handler may close any
//    descriptor, including one whose event comes later in the same batch, and reuse its slot: the
//    sink compares the generation, and drops an event whose generation is not the slot's.
//  - without timers and events it sleeps for good: no periodic wake-ups.
//
// Thread-safety: `wake` from any thread; the rest on the worker's thread (or before it starts).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/net/io_token.h"
#include "perch/net/unique_fd.h"
#include "perch/task/driver.h"
#include "perch/task/worker.h"

namespace perch::net {

class EventSink {
 public:
  virtual void on_io(std::uint32_t slot, std::uint32_t generation, IoEvents events) noexcept = 0;

 protected:
  ~EventSink() = default;
};

class SocketTable;

class Reactor final : public task::Driver {
 public:
  static constexpr std::size_t kMaxEventsPerPoll = 512;

  // Errors: kLimitExceeded (out of descriptors), kSystem.
  static Result<std::unique_ptr<Reactor>> create();
  // For RuntimeOptions::make_driver. Without descriptors left it ends the process.
  static std::unique_ptr<task::Driver> make_driver(unsigned worker_index);
  // The reactor of a worker. REQUIRES: its runtime was made with reactors.
  static Reactor& of(task::Worker& worker) { return static_cast<Reactor&>(worker.driver()); }

  ~Reactor() override;

  // Where events of `id` go; null: nowhere. REQUIRES: not kSocket, not kReactor. The sink outlives
  // its registration here.
  void set_sink(SinkId id, EventSink* sink);

  // Errors: kLimitExceeded (the system's limit on watches), kSystem.
  Result<void> add(int fd, IoToken token, IoInterest interest);
  // Replaces token and interest. An edge-triggered descriptor that is ready reports so again.
  Result<void> modify(int fd, IoToken token, IoInterest interest);
  // Needed only when the descriptor stays open.
  Result<void> remove(int fd);

  void poll(Duration timeout) override;
  void wake() noexcept override;

  // The state of the coroutine sockets of this worker. For tcp_stream.cc and tcp_listener.cc.
  SocketTable& sockets() { return *sockets_; }

 private:
  struct EventBuffer;

  Reactor(UniqueFd epoll, UniqueFd wake_event);
  Result<void> control(int operation, int fd, IoToken token, IoInterest interest);

  UniqueFd epoll_;
  UniqueFd wake_event_;
  std::unique_ptr<EventBuffer> events_;
  std::array<EventSink*, 16> sinks_{};
  std::unique_ptr<SocketTable> sockets_;
};

}  // namespace perch::net
