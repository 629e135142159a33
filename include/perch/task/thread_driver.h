// A Driver without I/O: sleeps on a condition variable. For programs and tests that need tasks,
// timers and posts only.
#pragma once

#include <condition_variable>
#include <mutex>

#include "perch/task/driver.h"

namespace perch::task {

class ThreadDriver final : public Driver {
 public:
  void poll(Duration timeout) override;
  void wake() noexcept override;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool woken_ = false;  // guarded by mutex_; set by wake, cleared by the poll that it ends
};

}  // namespace perch::task
