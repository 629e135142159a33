// Event: a flag that tasks wait for; it stays set until it is reset.
//
// Bound to one worker: the waiting tasks, set and reset all belong to the worker of the first task
// that waits. To set it from elsewhere, post (Worker::post). Waiting tasks wake first in, first
// out. REQUIRES: no task waits when it is destroyed.
#pragma once

#include <coroutine>

#include "perch/base/clock.h"
#include "perch/task/wait.h"

namespace perch::task {

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  bool is_set() const { return set_; }
  // Wakes every task that waits. They find their wait fulfilled even if reset() comes before they
  // run.
  void set() {
    set_ = true;
    while (!waiters_.empty()) wake(waiters_.front(), WaitOutcome::kValue);
  }
  void reset() { set_ = false; }

  // Carries no timer: this is what a perched task keeps.
  class [[nodiscard]] Wait {
   public:
    explicit Wait(Event& event) : event_(event) {}
    bool await_ready() const { return event_.set_ && !is_cancelled(); }
    void await_suspend(std::coroutine_handle<> leaf) const { begin_wait(leaf, event_.waiters_); }
    WaitResult await_resume() const { return end_wait(); }

   private:
    Event& event_;
  };

  class [[nodiscard]] DeadlineWait {
   public:
    DeadlineWait(Event& event, Deadline deadline) : event_(event), deadline_(deadline) {}
    bool await_ready() const { return event_.set_ && !is_cancelled(); }
    void await_suspend(std::coroutine_handle<> leaf) {
      begin_wait(leaf, event_.waiters_);
      timer_.start(deadline_);
    }
    WaitResult await_resume() {
      timer_.disarm();
      return end_wait();
    }

   private:
    Event& event_;
    Deadline deadline_;
    WaitTimer timer_;
  };

  // WaitResult: kCancelled.
  Wait wait() { return Wait(*this); }
  // WaitResult: kCancelled, kTimedOut.
  DeadlineWait wait(Deadline deadline) { return DeadlineWait(*this, deadline); }

 private:
  WaitQueue waiters_;
  bool set_ = false;
};

}  // namespace perch::task
