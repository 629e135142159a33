// The runtime: a set of workers, started and stopped together.
#pragma once

#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "perch/task/block_on.h"
#include "perch/task/driver.h"
#include "perch/task/spawn.h"
#include "perch/task/task.h"
#include "perch/task/worker.h"

namespace perch::task {

struct RuntimeOptions {
  unsigned workers = 0;  // 0: usable_cpus()
  // Called once for each worker, before it starts. Empty: ThreadDriver.
  std::function<std::unique_ptr<Driver>(unsigned index)> make_driver;
  unsigned tasks_per_turn = 128;  // ready tasks run between two polls
};

// Thread-safety: start, stop and the destructor from one thread, not a worker's; the rest from any.
//
// stop() in steps, with the races that each one settles:
//  1. Every worker is posted a request to leave its loop at the end of its turn.
//  2. The threads are joined: no task runs now, and all that the workers wrote is visible here.
//  Other
//     threads may still post, cancel, and drop handles: that only touches inboxes and state words.
//  3. This thread acts as each worker in turn. What is in the inboxes runs; tasks that have not
//     started never do; every waiting task is cancelled (kShutdown) and resumed; turns go on, on
//     all workers since tasks join across them, until no task is left. Waits fail at once by now,
//     so a task ends unless it insists. Drivers are not polled any more.
//  4. After kUnwindTurns turns the tasks that insist are destroyed where they wait. If a handle
//  still
//     refers to one, it counts as never run, and dies with the handle.
//  5. The destructor: runs the posts that came since; disarms timers; destroys the drivers.
//     REQUIRES: no other thread is inside a call to one of its workers.
class Runtime {
 public:
  explicit Runtime(RuntimeOptions options = {});
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  ~Runtime();

  void start();
  void stop();

  unsigned size() const { return static_cast<unsigned>(workers_.size()); }
  Worker& worker(unsigned index) { return *workers_[index]; }

  // Runs the task on worker 0 and waits for its result. Throws what it threw, or TaskCancelled when
  // the runtime stopped before its end. REQUIRES: started; not on a worker's thread.
  template <class T>
  T block_on(Task<T> task) {
    return detail::block_on(worker(0), std::move(task));
  }

 private:
  static constexpr int kUnwindTurns = 10'000;

  void unwind();
  std::size_t live_tasks() const;

  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  bool stopped_ = false;
};

}  // namespace perch::task
