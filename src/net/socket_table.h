// The coroutine sockets of one worker: who waits for which descriptor.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "perch/net/io_token.h"
#include "perch/net/reactor.h"
#include "perch/net/socket.h"
#include "perch/task/task_header.h"

namespace perch::net {

// Invariants: a slot's generation changes when its socket closes, so that an event still under way
// for the old socket is dropped. A waiting task takes itself out when it resumes.
class SocketTable final : public EventSink {
 public:
  std::uint32_t take_slot();
  void give_back(std::uint32_t slot);
  std::uint32_t generation(std::uint32_t slot) const { return slots_[slot].generation; }

  task::TaskHeader*& waiter(std::uint32_t slot, Direction direction) {
    return slots_[slot].waiters[static_cast<std::size_t>(direction)];
  }

  void on_io(std::uint32_t slot, std::uint32_t generation, IoEvents events) noexcept override;

 private:
  struct Slot {
    std::uint32_t generation = 0;
    task::TaskHeader* waiters[2] = {nullptr, nullptr};  // by Direction
  };

  std::deque<Slot> slots_;
  std::vector<std::uint32_t> free_;
};

}  // namespace perch::net
