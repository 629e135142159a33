// Draining: every connection is visited twice, in batches, so that a worker with a million parked
// ones goes on serving meanwhile and never has them all awake.
#include <algorithm>

#include "server/server_worker.h"

namespace perch::server {
namespace {

constexpr std::uint32_t kSlotsPerBatch = 512;

}  // namespace

void ServerWorker::request_drain(DrainStep step) {
  requested_step_.store(step, std::memory_order_release);
  post([this] {
    if (drain_step_ == DrainStep::kServing) give_up_listeners();
    drain_step_ = requested_step_.load(std::memory_order_acquire);
    drain_cursor_ = 0;
    if (drain_step_ == DrainStep::kCutOff) {
      close_all();
    } else {
      defer(drain_work_);
    }
  });
}

// At once: the worker may be about to stop, and what connections borrow belongs to its thread.
void ServerWorker::close_all() {
  for (std::uint32_t index = 0; index < table_.bound(); ++index) {
    if (table_[index].state() != SlotState::kFree) close_slot(index);
  }
}

void ServerWorker::DrainWork::run_batch(task::Deferred& deferred) noexcept {
  static_cast<DrainWork&>(deferred).owner.drain_batch();
}

void ServerWorker::drain_batch() {
  const std::uint32_t bound = table_.bound();
  const std::uint32_t end = std::min(bound, drain_cursor_ + kSlotsPerBatch);
  for (; drain_cursor_ < end; ++drain_cursor_) drain_slot(drain_cursor_, table_[drain_cursor_]);
  if (drain_cursor_ < bound) defer(drain_work_);
}

void ServerWorker::drain_slot(std::uint32_t index, Slot& slot) {
  const SlotState state = slot.state();
  if (state == SlotState::kFree) return;
  if (state == SlotState::kLingering) return;
  if (state == SlotState::kAccepted) {
    // A client whose first bytes are still to come may yet be served during the notice.
    if (drain_step_ == DrainStep::kFinal) close_slot(index);
    return;
  }
  if (state == SlotState::kParked && activate(index, slot) == nullptr) return close_slot(index);
  Connection& connection = *slot.target.connection;
  if (drain_step_ == DrainStep::kFinal) return act_on(connection, connection.shutdown());
  const Disposition disposition = connection.announce_shutdown();
  if (disposition != Disposition::kKeep) return act_on(connection, disposition);
  if (state == SlotState::kParked && connection.can_park()) park(connection);
}

}  // namespace perch::server
