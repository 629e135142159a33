#include "perch/task/runtime.h"

#include <pthread.h>

#include <string>

#include "perch/base/check.h"
#include "perch/task/cpu_count.h"
#include "perch/task/thread_driver.h"

namespace perch::task {

Runtime::Runtime(RuntimeOptions options) {
  const unsigned count = options.workers != 0 ? options.workers : usable_cpus();
  workers_.reserve(count);
  for (unsigned index = 0; index < count; ++index) {
    std::unique_ptr<Driver> driver =
        options.make_driver ? options.make_driver(index) : std::make_unique<ThreadDriver>();
    workers_.push_back(
        std::make_unique<Worker>(*this, index, std::move(driver), options.tasks_per_turn));
  }
}

void Runtime::start() {
  PERCH_CHECK(threads_.empty() && !stopped_);
  threads_.reserve(workers_.size());
  for (std::unique_ptr<Worker>& worker : workers_) {
    threads_.emplace_back([&worker = *worker] { worker.run_loop(); });
    // For top, ps and debuggers; at most 15 characters.
    const std::string name = "perch-" + std::to_string(worker->index());
    pthread_setname_np(threads_.back().native_handle(), name.c_str());
  }
}

void Runtime::stop() {
  if (stopped_) return;
  stopped_ = true;
  PERCH_CHECK(Worker::current() == nullptr);
  if (!threads_.empty()) {
    for (std::unique_ptr<Worker>& worker : workers_) worker->stop_loop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  unwind();
}

Runtime::~Runtime() {
  stop();
  // Posts that came since: a cancellation under way holds a reference, a spawned task its frame.
  unwind();
}

void Runtime::unwind() {
  auto on_each_worker = [this](auto&& act) {
    for (std::unique_ptr<Worker>& worker : workers_) {
      detail::current_worker = worker.get();
      act(*worker);
      detail::current_worker = nullptr;
    }
  };
  on_each_worker([](Worker& worker) { worker.run_posts(); });
  for (int turn = 0; turn < kUnwindTurns && live_tasks() > 0; ++turn) {
    on_each_worker([](Worker& worker) {
      worker.run_posts();
      worker.cancel_waiting_tasks();
      worker.run_turn();
    });
  }
  // Destroying one may drop handles of others, and start new ones.
  while (live_tasks() > 0) {
    on_each_worker([](Worker& worker) {
      worker.run_posts();
      worker.abandon_tasks();
    });
    on_each_worker([](Worker& worker) { worker.run_posts(); });
    on_each_worker([](Worker& worker) { worker.release_abandoned_tasks(); });
  }
  on_each_worker([](Worker& worker) {
    worker.run_deferred();
    worker.run_posts();
  });
}

std::size_t Runtime::live_tasks() const {
  std::size_t count = 0;
  for (const std::unique_ptr<Worker>& worker : workers_) count += worker->live_tasks();
  return count;
}

}  // namespace perch::task
