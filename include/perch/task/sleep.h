// Waiting for time to pass, and letting others run. On a worker, within a task.
#pragma once

#include <coroutine>

#include "perch/base/clock.h"
#include "perch/task/wait.h"

namespace perch::task {

class [[nodiscard]] SleepAwaiter {
 public:
  explicit SleepAwaiter(Instant until) : until_(until) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> leaf) {
    begin_wait(leaf);
    timer_.start(Deadline::at(until_));
  }
  // Here the timer is the value.
  WaitResult await_resume() {
    timer_.disarm();
    const WaitResult result = end_wait();
    return result.outcome() == WaitOutcome::kTimedOut ? WaitResult() : result;
  }

 private:
  Instant until_;
  WaitTimer timer_;
};

// Wakes at the first millisecond at or after the time given; never before. WaitResult: kCancelled.
inline SleepAwaiter sleep_until(Instant when) { return SleepAwaiter(when); }
// Counts from now (the clock is read).
inline SleepAwaiter sleep_for(Duration duration) { return SleepAwaiter(Instant::now() + duration); }

class [[nodiscard]] YieldAwaiter {
 public:
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> leaf) const {
    TaskHeader& task = running_task();
    task.set_leaf(leaf);
    Worker::current()->make_ready(task);
  }
  WaitResult await_resume() const {
    return WaitResult(is_cancelled() ? WaitOutcome::kCancelled : WaitOutcome::kValue);
  }
};

// Lets every task that is ready now run first. WaitResult: kCancelled.
inline YieldAwaiter yield() { return {}; }

}  // namespace perch::task
