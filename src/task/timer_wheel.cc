#include "perch/task/timer_wheel.h"

#include <bit>

#include "perch/base/check.h"

namespace perch::task {
namespace {

constexpr std::int64_t kTick = 1'000'000;  // nanoseconds

// The first tick that is not before `when`.
std::int64_t tick_from(Instant when) {
  const std::int64_t ns = when.nanoseconds();
  return ns <= 0 ? 0 : (ns - 1) / kTick + 1;
}

}  // namespace

TimerWheel::TimerWheel(Instant now) : elapsed_(now.nanoseconds() / kTick) {}

TimerWheel::~TimerWheel() {
  auto disarm = [](Timer& timer) { timer.disarm(); };
  due_.for_each(disarm);
  for (auto& level : slots_) {
    for (List& slot : level) slot.for_each(disarm);
  }
}

void TimerWheel::arm(Timer& timer, Instant when) {
  PERCH_DCHECK(!timer.is_armed());
  timer.tick_ = tick_from(when);
  if (timer.tick_ <= elapsed_) {
    due_.push_back(timer);
  } else {
    place(timer);
  }
}

void TimerWheel::place(Timer& timer) {
  const auto difference = static_cast<std::uint64_t>(timer.tick_ ^ elapsed_);
  const int level = (std::bit_width(difference | 1) - 1) / kSlotBits;
  const int slot = static_cast<int>(timer.tick_ >> (level * kSlotBits)) & (kSlots - 1);
  occupied_[level] |= std::uint64_t{1} << slot;
  slots_[level][slot].push_back(timer);
}

std::optional<TimerWheel::Position> TimerWheel::next_position() {
  for (int level = 0; level < kLevels; ++level) {
    while (occupied_[level] != 0) {
      const int slot = std::countr_zero(occupied_[level]);
      if (slots_[level][slot].empty()) {
        occupied_[level] &= occupied_[level] - 1;
        continue;
      }
      const int shift = level * kSlotBits;
      const std::int64_t above = elapsed_ >> (shift + kSlotBits) << (shift + kSlotBits);
      return Position{level, slot, above | (std::int64_t{slot} << shift)};
    }
  }
  return std::nullopt;
}

std::size_t TimerWheel::advance(Instant now) {
  const std::int64_t target = now.nanoseconds() / kTick;
  std::size_t fired = 0;
  auto fire_all = [&](List& list) {
    while (!list.empty()) {
      Timer& timer = list.pop_front();
      ++fired;
      timer.fire_(timer);
    }
  };

  if (!due_.empty()) {
    List batch;
    batch.splice_back(due_);
    fire_all(batch);
  }
  while (elapsed_ < target) {
    std::optional<Position> next = next_position();
    if (!next || next->tick > target) break;
    // Timers of this tick that callbacks arm from here on are late, and go to due_.
    elapsed_ = next->tick;
    List batch;
    batch.splice_back(slots_[next->level][next->slot]);
    occupied_[next->level] &= ~(std::uint64_t{1} << next->slot);
    if (next->level == 0) {
      fire_all(batch);
      continue;
    }
    // Down one level or more; those of this very tick fire now.
    List now_due;
    while (!batch.empty()) {
      Timer& timer = batch.pop_front();
      if (timer.tick_ == elapsed_) {
        now_due.push_back(timer);
      } else {
        place(timer);
      }
    }
    fire_all(now_due);
  }
  if (elapsed_ < target) elapsed_ = target;
  return fired;
}

std::optional<Instant> TimerWheel::next_deadline() {
  if (!due_.empty()) return Instant(elapsed_ * kTick);
  std::optional<Position> next = next_position();
  if (!next) return std::nullopt;
  return Instant(next->tick * kTick);
}

}  // namespace perch::task
