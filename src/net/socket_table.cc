#include "socket_table.h"

#include "perch/base/check.h"
#include "perch/task/wait.h"

namespace perch::net {

std::uint32_t SocketTable::take_slot() {
  if (!free_.empty()) {
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  slots_.emplace_back();
  return static_cast<std::uint32_t>(slots_.size() - 1);
}

void SocketTable::give_back(std::uint32_t slot) {
  Slot& entry = slots_[slot];
  PERCH_CHECK(entry.waiters[0] == nullptr && entry.waiters[1] == nullptr);
  entry.generation = (entry.generation + 1) & IoToken::kGenerationMask;
  free_.push_back(slot);
}

void SocketTable::on_io(std::uint32_t slot, std::uint32_t generation, IoEvents events) noexcept {
  const Slot& entry = slots_[slot];
  if (entry.generation != generation) return;
  auto wake = [&entry](Direction direction) {
    task::TaskHeader* waiter = entry.waiters[static_cast<std::size_t>(direction)];
    if (waiter != nullptr) task::wake(*waiter, task::WaitOutcome::kValue);
  };
  // An error or a hangup concerns both: the next read or write tells what it was.
  if (events.has(kReadable | kPeerClosed | kHangup | kError)) wake(Direction::kRead);
  if (events.has(kWritable | kHangup | kError)) wake(Direction::kWrite);
}

}  // namespace perch::net
