// Parking and the sweeps.
//
// A connection with traffic is on `fresh_`, in the order of its last activity. When its grace has
// passed it is parked, or, if something forbids that, moved to `settled_`. Both lists are looked at
// for deadlines about once a second. Connections without a session are found by a cursor that goes
// round the hot table in slices, so that a table of any size costs each sweep the same.
#include <malloc.h>
#include <string.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "perch/memory/slab.h"
#include "server/server_worker.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

constexpr Duration kSettledPeriod = std::chrono::seconds(1);
// Beyond so many active connections memory matters more than the cost of waking: no longer graces.
constexpr std::uint32_t kActiveWithLongGrace = 512;
constexpr std::uint32_t kParkedPerTrim = 1024;
constexpr std::uint32_t kTableSlice = 8192;

}  // namespace

void ServerWorker::touch(Connection& connection) {
  if (connection.last_active == now() && !connection.settled) return;
  connection.last_active = now();
  connection.settled = false;
  connection.unlink();
  fresh_.push_back(connection);
  if (&fresh_.front() == &connection) arm_sweep();
}

void ServerWorker::settle(Connection& connection) {
  connection.settled = true;
  connection.unlink();
  settled_.push_back(connection);
}

Duration ServerWorker::grace_of(const Slot& slot) const {
  const Duration grace = shared_.options.parking_grace;
  if (slot.idle_wakes == 0 || active_ > kActiveWithLongGrace) return grace;
  return std::min(shared_.options.parking_grace_max,
                  grace * (1U << std::min<unsigned>(slot.idle_wakes, 16)));
}

void ServerWorker::try_to_park(Connection& connection) {
  Slot& slot = table_[connection.slot()];
  if (shared_.options.parking && connection.can_park() &&
      now() - connection.last_active >= grace_of(slot)) {
    const Disposition disposition = connection.end_wake();
    if (disposition != Disposition::kKeep) return act_on(connection, disposition);
    if (connection.can_park()) return park(connection);
  }
  if (!connection.settled) settle(connection);
}

void ServerWorker::park(Connection& connection) {
  Slot& slot = table_[connection.slot()];
  slot.last_active = static_cast<std::uint32_t>(connection.last_active.nanoseconds() >> kTickShift);
  if (connection.saw_request()) {
    slot.idle_wakes = 0;
  } else if (slot.idle_wakes < UINT8_MAX) {
    ++slot.idle_wakes;
  }
  record_.clear();
  slot.http1 = connection.http1();
  connection.park(record_);
  deactivate(slot);
  slot.target.record = store_.put(record_);
  slot.set_state(SlotState::kParked);
  counters_.parked.add();
  counters_.parked_record_bytes.add(record_.size());
  shared_.note_parked();
  ++parked_since_trim_;
  ::explicit_bzero(record_.data(), record_.size());  // cookies have no business in scratch memory
}

// Armed for the first grace that ends, or for the next look at those that have settled.
void ServerWorker::arm_sweep() {
  Instant next = now() + kSettledPeriod;
  if (!fresh_.empty()) {
    const Duration grace = shared_.options.parking_grace;
    next = std::min(
        next, std::max(fresh_.front().last_active + grace, now() + std::chrono::milliseconds(1)));
  }
  if (sweep_timer_.is_armed()) {
    if (next_sweep_ <= next) return;
    sweep_timer_.disarm();
  }
  next_sweep_ = next;
  worker_.timers().arm(sweep_timer_, next);
}

void ServerWorker::SweepTimer::fire(task::Timer& timer) noexcept {
  static_cast<SweepTimer&>(timer).owner.sweep();
}

void ServerWorker::sweep() {
  sweep_fresh();
  if (now() >= next_settled_sweep_) {
    next_settled_sweep_ = now() + kSettledPeriod;
    sweep_settled();
    check_fresh();
    sweep_table(drain_step_ == DrainStep::kServing ? kTableSlice : table_.bound());
    if (parked_since_trim_ > 0 && active_ == 0) trim();
  }
  if (parked_since_trim_ >= kParkedPerTrim) trim();
  if (table_.used() > 0) arm_sweep();
}

void ServerWorker::sweep_fresh() {
  const Instant due = now() - shared_.options.parking_grace;
  while (!fresh_.empty() && fresh_.front().last_active <= due) try_to_park(fresh_.front());
}

// A peer that never pauses for as long as the grace meets its deadlines as well.
void ServerWorker::check_fresh() {
  fresh_.for_each([this](Connection& connection) { act_on(connection, connection.check(now())); });
}

void ServerWorker::sweep_settled() {
  IntrusiveList<Connection> batch;
  batch.splice_back(settled_);
  while (!batch.empty()) {
    Connection& connection = batch.pop_front();
    settled_.push_back(connection);
    const Disposition disposition = connection.check(now());
    if (disposition != Disposition::kKeep) {
      act_on(connection, disposition);
    } else if (connection.settled) {
      try_to_park(connection);
    }
  }
}

void ServerWorker::sweep_table(std::uint32_t slots) {
  const std::uint32_t bound = table_.bound();
  for (std::uint32_t i = std::min(slots, bound); i > 0; --i) {
    if (sweep_cursor_ >= bound) sweep_cursor_ = 0;
    const std::uint32_t index = sweep_cursor_++;
    expire(index, table_[index]);
  }
}

void ServerWorker::expire(std::uint32_t index, Slot& slot) {
  const auto idle_for = Duration(std::int64_t{tick() - slot.last_active} << kTickShift);
  const ServerOptions& options = shared_.options;
  switch (slot.state()) {
    case SlotState::kAccepted:
      if (idle_for >= options.http2.header_timeout) {
        counters_.connection_errors.add();
        close_slot(index);
      }
      return;
    case SlotState::kLingering:
      if (idle_for >= options.linger_timeout) end_linger(index, slot);
      return;
    case SlotState::kParked: {
      if (idle_for < shared_.idle_timeout(slot.http1)) return;
      Connection* connection = activate(index, slot);
      if (connection == nullptr) return close_slot(index);
      return act_on(*connection, connection->shutdown());
    }
    case SlotState::kActive:
    case SlotState::kFree:
      return;
  }
}

// What is still in the kernel's send buffer would be lost to a reset if more input came after the
// close: as long as the peer takes some of it, the connection lingers on.
void ServerWorker::end_linger(std::uint32_t index, Slot& slot) {
  const std::uint32_t unsent = unsent_bytes(slot.fd);
  const auto seconds = std::chrono::duration<double>(shared_.options.linger_timeout).count();
  const double least = static_cast<double>(shared_.options.minimum_rate) * seconds;
  const bool slow =
      unsent >= slot.target.unsent || static_cast<double>(slot.target.unsent - unsent) < least;
  if (unsent == 0 || slow) return close_slot(index);
  slot.target.unsent = unsent;
  slot.last_active = tick();
}

void ServerWorker::trim() {
  parked_since_trim_ = 0;
  memory::trim_slabs();
  input_buffers_.trim();
  ::malloc_trim(0);
}

}  // namespace perch::server
