// How awaitables suspend and wake the running task. For authors of primitives; users of tasks need
// none of it.
//
// An awaitable follows this pattern (event.h is the shortest example):
//
//   bool await_ready()          { return value is there && !is_cancelled(); }
//   void await_suspend(handle)  { begin_wait(handle, queue); }
//   WaitResult await_resume()   { forget timers and registrations; return end_wait(); }
//
// and whoever has the value calls wake(task, WaitOutcome::kValue). Value, cancellation and timeout
// compete by one compare-exchange in `wake`; a loser gets false and touches nothing. The wait of a
// task that is cancelled already ends at the next chance to run, behind the tasks that are ready:
// so a task that ignores its cancellation does not hold its worker up.
//
// Thread-safety: all on the waiting task's home worker.
#pragma once

#include <coroutine>

#include "perch/base/clock.h"
#include "perch/task/task_header.h"
#include "perch/task/timer.h"
#include "perch/task/wait_result.h"
#include "perch/task/worker.h"

namespace perch::task {

// Tasks that wait for one thing, first in, first out. Bound to the worker of the first task that
// waits on it, which knows it from then on, so that a shutdown finds the tasks.
// REQUIRES: empty when destroyed.
struct WaitQueueTag;
class WaitQueue : public ListLink<WaitQueueTag> {
 public:
  WaitQueue() = default;
  ~WaitQueue() {
    PERCH_CHECK(tasks_.empty());
    unlink();
  }

  bool empty() const { return tasks_.empty(); }
  TaskHeader& front() { return tasks_.front(); }
  TaskList& tasks() { return tasks_; }

 private:
  TaskList tasks_;
};

// The running task. REQUIRES: called from within one.
inline TaskHeader& running_task() {
  Worker* worker = Worker::current();
  PERCH_CHECK(worker != nullptr && worker->current_task() != nullptr);
  return *worker->current_task();
}

// Whether the running task has been asked to stop.
inline bool is_cancelled() {
  return (running_task().load(std::memory_order_relaxed) & state::kCancelled) != 0;
}

namespace detail {

inline void begin_wait_on(std::coroutine_handle<> leaf, TaskList& list, Worker& worker) {
  TaskHeader& task = *worker.current_task();
  std::atomic<state::Word>& word = task.state();
  state::Word seen = word.load(std::memory_order_relaxed);
  state::Word wanted;
  do {
    if ((seen & state::kCancelled) != 0) {
      word.fetch_or(state::kOutcomeCancelled, std::memory_order_relaxed);
      task.set_leaf(leaf);
      worker.make_ready(task);
      return;
    }
    wanted =
        (seen & ~(state::kPhaseMask | state::kTickMask)) | state::kWaiting | worker.tick_bits();
  } while (!word.compare_exchange_weak(seen, wanted, std::memory_order_relaxed));
  task.set_leaf(leaf);
  list.push_back(task);
}

}  // namespace detail

// Puts the running task to wait, to be resumed at `leaf`. It must suspend now.
inline void begin_wait(std::coroutine_handle<> leaf) {
  running_task();
  Worker& worker = *Worker::current();
  detail::begin_wait_on(leaf, worker.waiting(), worker);
}
inline void begin_wait(std::coroutine_handle<> leaf, WaitQueue& queue) {
  running_task();
  Worker& worker = *Worker::current();
  if (!queue.is_linked()) worker.adopt(queue);
  detail::begin_wait_on(leaf, queue.tasks(), worker);
}

// Ends the wait of `task` and queues it. False when it is not waiting: something else was first.
inline bool wake(TaskHeader& task, WaitOutcome outcome) {
  std::atomic<state::Word>& word = task.state();
  state::Word seen = word.load(std::memory_order_relaxed);
  state::Word wanted;
  do {
    if (state::phase(seen) != state::kWaiting) return false;
    PERCH_DCHECK(Worker::current() != nullptr && Worker::current()->id() == state::home(seen));
    wanted = (seen & ~state::kPhaseMask) | state::kActive | static_cast<state::Word>(outcome);
  } while (!word.compare_exchange_weak(seen, wanted, std::memory_order_relaxed));
  task.unlink();
  Worker::current()->make_ready(task);
  return true;
}

// Reads and clears how the running task's last wait ended: nothing, kCancelled or kTimedOut. Called
// by await_resume, also when await_ready was true.
inline WaitResult end_wait() {
  TaskHeader& task = running_task();
  state::Word word = task.load(std::memory_order_relaxed) & state::kOutcomeMask;
  if (word != 0) task.state().fetch_and(~state::kOutcomeMask, std::memory_order_relaxed);
  return WaitResult(static_cast<WaitOutcome>(word));
}

// The timer of a wait with a deadline. Lives in the awaitable, is armed when the wait begins, and
// disarmed by its end.
class WaitTimer : public Timer {
 public:
  WaitTimer() : Timer(&on_fire) {}
  WaitTimer(const WaitTimer&) = delete;
  WaitTimer& operator=(const WaitTimer&) = delete;

  // REQUIRES: the running task has begun to wait.
  void start(Deadline deadline) {
    if (deadline.is_never()) return;
    task_ = &running_task();
    Worker::current()->timers().arm(*this, deadline.when());
  }

 private:
  static void on_fire(Timer& timer) noexcept {
    wake(*static_cast<WaitTimer&>(timer).task_, WaitOutcome::kTimedOut);
  }

  TaskHeader* task_ = nullptr;
};

}  // namespace perch::task
