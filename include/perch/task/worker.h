// A worker: one thread that runs tasks, timers, posts and its driver's events.
//
// One turn of its loop: run what was posted; fire due timers; run up to `tasks_per_turn` ready
// tasks; run what was deferred; poll the driver (without waiting if anything is left to run).
//
// Sleeping without lost wake-ups. The inbox of posts is one atomic word: null, a list of posts, or
// the mark kAsleep. Before it sleeps the worker exchanges null for kAsleep; a post that came first
// makes that fail, and the worker does not sleep. A post that comes later finds the mark, replaces
// it, and its thread alone calls Driver::wake. No post can fall between: both sides decide by a
// compare-exchange on one word. Everything else that makes a worker busy happens on its own thread.
//
// Thread-safety: `post`, `index` and `id` from any thread; the rest on the worker's own thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "perch/base/clock.h"
#include "perch/task/driver.h"
#include "perch/task/post.h"
#include "perch/task/task_header.h"
#include "perch/task/timer_wheel.h"

namespace perch::task {

class Runtime;
class WaitQueue;
class Worker;
struct WaitQueueTag;

namespace detail {
extern constinit thread_local Worker* current_worker;
// The worker of that id, for messages between tasks of different workers.
Worker& worker_of_id(unsigned id) noexcept;
class TaskStarter;
}  // namespace detail

class Worker {
 public:
  // The worker whose thread this is; null on other threads.
  static Worker* current() noexcept { return detail::current_worker; }

  Worker(Runtime& runtime, unsigned index, std::unique_ptr<Driver> driver, unsigned tasks_per_turn);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();

  unsigned index() const { return index_; }  // within its runtime, from 0
  unsigned id() const { return id_; }        // within the process
  Runtime& runtime() const { return runtime_; }

  // The time at which this turn of the loop began, or woke in its driver. Costs nothing.
  Instant now() const { return now_; }
  // For drivers, after they slept and before they handle what happened.
  void read_clock();
  TimerWheel& timers() { return timers_; }
  Driver& driver() { return *driver_; }

  // Runs post.run(post) on the worker's thread, soon. Posts of one thread run in order. Any thread;
  // the Runtime must not be under destruction. What is posted after stop() runs when it is
  // destroyed.
  void post(Post& post) noexcept;

  // Runs deferred.run(deferred) once at the end of this turn, after events and ready tasks and
  // before polling. Does nothing when it is deferred already.
  void defer(Deferred& deferred) {
    if (!deferred.is_linked()) deferred_.push_back(deferred);
  }

  // Tasks of this worker that have started or are queued, and have not ended.
  std::size_t live_tasks() const { return live_tasks_; }

  // The rest serves awaitables and the runtime (wait.h, spawn.h).

  TaskHeader* current_task() const { return current_task_; }
  TaskList& waiting() { return waiting_; }
  state::Word tick_bits() const { return tick_bits_; }
  void make_ready(TaskHeader& task) { ready_.push_back(task); }
  void adopt(WaitQueue& queue);

  // Runs turns until `stop_loop`. Called on the worker's thread by Runtime.
  void run_loop();
  // Any thread.
  void stop_loop() noexcept;

 private:
  friend class Runtime;
  friend class detail::TaskStarter;

  static Post* asleep_mark() noexcept;

  void run_turn();
  Duration poll_timeout();
  void run_posts() noexcept;
  void run_ready_tasks();
  void run_task(TaskHeader& task);
  void run_deferred();
  bool has_work() const { return !ready_.empty() || !deferred_.empty(); }
  Duration sleep_limit();

  void cancel_waiting_tasks();
  void abandon_tasks();
  void release_abandoned_tasks();

  Runtime& runtime_;
  const unsigned index_;
  const unsigned tasks_per_turn_;
  unsigned id_;
  state::Word home_bits_;
  bool stop_requested_ = false;

  TaskHeader* current_task_ = nullptr;
  TaskHeader* starting_task_ = nullptr;  // inside start(), not shared yet
  std::size_t live_tasks_ = 0;
  TaskList ready_;
  TaskList waiting_;  // for timers, joins and events of the driver: on no wait queue
  IntrusiveList<Deferred, DeferredTag> deferred_;
  IntrusiveList<WaitQueue, WaitQueueTag> wait_queues_;
  std::vector<TaskHeader*> abandoned_;  // during a shutdown

  Instant now_;
  state::Word tick_bits_ = 0;
  TimerWheel timers_;
  std::unique_ptr<Driver> driver_;
  Post stop_post_;

  alignas(64) std::atomic<Post*> inbox_{nullptr};  // last posted first
};

}  // namespace perch::task
