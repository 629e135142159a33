// What a worker sleeps in. The reactor of `net` is one; ThreadDriver is another, without I/O.
#pragma once

#include "perch/base/clock.h"

namespace perch::task {

class Driver {
 public:
  static constexpr Duration kForever = Duration::max();

  virtual ~Driver() = default;

  // Called by the worker's thread only. Waits until something happens, `wake` is called or
  // `timeout` has passed (0: does not wait; kForever: no limit), and handles what happened. May
  // return early for no reason. A wake that comes between two polls ends the next one.
  virtual void poll(Duration timeout) = 0;

  // Any thread. Ends the current or the next poll.
  virtual void wake() noexcept = 0;
};

}  // namespace perch::task
