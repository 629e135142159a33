// A hierarchical timer wheel with ticks of one millisecond (Varghese and Lauck, 1987, scheme 7).
//
// Invariants, with `elapsed_` the last tick that was processed:
//  - a timer whose tick is at or before elapsed_ when it is armed is on due_, and fires at the next
//    advance;
//  - any other armed timer is at the level of the highest 6-bit digit in which its tick differs
//  from
//    elapsed_, in the slot named by that digit. So all timers of a level come before all timers of
//    the level above, and each level's slots lie ahead of elapsed_'s own digit;
//  - eight levels of 6 bits reach further than any Instant;
//  - a slot that holds a timer has its bit set in `occupied_`. The reverse need not hold: disarming
//    does not know its slot, and the bit is cleared when the slot is next looked at.
//
// A timer never fires before its Instant: ticks are rounded up, the time given is rounded down.
// Timers fire in the order of their ticks; timers of one tick in the order in which they were
// armed.
//
// Thread-safety: none. Time is given, never read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "perch/task/timer.h"

namespace perch::task {

class TimerWheel {
 public:
  explicit TimerWheel(Instant now);
  // Disarms what is left without firing it.
  ~TimerWheel();

  // Fires at the first advance to `when` or later. REQUIRES: not armed.
  void arm(Timer& timer, Instant when);

  // Fires every timer that is due at `now`. A callback may arm and disarm any timer; what it arms
  // for a tick already passed fires at the next advance. Time that goes back is ignored.
  // Returns how many fired.
  std::size_t advance(Instant now);

  // A time at or before the earliest timer's, later than the last advance unless one is due
  // already: sleep until then, advance, and ask again (a far timer takes a few such steps). Empty
  // when no timer is armed.
  std::optional<Instant> next_deadline();

 private:
  static constexpr int kLevels = 8;
  static constexpr int kSlotBits = 6;
  static constexpr int kSlots = 1 << kSlotBits;
  using List = IntrusiveList<Timer, TimerTag>;

  struct Position {
    int level;
    int slot;
    std::int64_t tick;  // the slot's first
  };

  void place(Timer& timer);
  std::optional<Position> next_position();

  std::int64_t elapsed_;
  List due_;
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<std::array<List, kSlots>, kLevels> slots_;
};

}  // namespace perch::task
