// An intrusive timer: armed and disarmed in O(1), without allocation.
#pragma once

#include <cstdint>

#include "perch/base/intrusive_list.h"

namespace perch::task {

struct TimerTag;

// The owner derives from it, or finds itself from it, and keeps it alive while it is armed. Belongs
// to the thread of the wheel that it is armed on; destroying it disarms it.
class Timer : public ListLink<TimerTag> {
 public:
  using Fire = void (*)(Timer&) noexcept;

  explicit Timer(Fire fire) : fire_(fire) {}
  ~Timer() { unlink(); }

  bool is_armed() const { return is_linked(); }
  void disarm() { unlink(); }

 private:
  friend class TimerWheel;
  std::int64_t tick_ = 0;  // the first whole millisecond at which it may fire
  Fire fire_;
};

}  // namespace perch::task
