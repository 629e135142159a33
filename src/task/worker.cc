#include "perch/task/worker.h"

#include <utility>

#include "perch/base/check.h"
#include "perch/task/wait.h"
#include "task_lifecycle.h"
#include "worker_registry.h"

namespace perch::task {

namespace detail {
constinit thread_local Worker* current_worker = nullptr;
}  // namespace detail

Worker::Worker(Runtime& runtime, unsigned index, std::unique_ptr<Driver> driver,
               unsigned tasks_per_turn)
    : runtime_(runtime),
      index_(index),
      tasks_per_turn_(tasks_per_turn),
      id_(detail::register_worker(*this)),
      home_bits_(state::Word{id_} << state::kHomeShift),
      now_(Instant::now()),
      timers_(now_),
      driver_(std::move(driver)),
      stop_post_{[](Post&) noexcept { Worker::current()->stop_requested_ = true; }, nullptr} {}

Worker::~Worker() {
  PERCH_CHECK(live_tasks_ == 0);
  wait_queues_.for_each([](WaitQueue& queue) { queue.unlink(); });
  deferred_.for_each([](Deferred& deferred) { deferred.unlink(); });
  detail::unregister_worker(id_);
}

Post* Worker::asleep_mark() noexcept {
  static constinit Post mark{nullptr, nullptr};
  return &mark;
}

void Worker::post(Post& post) noexcept {
  Post* seen = inbox_.load(std::memory_order_relaxed);
  do {
    post.next = seen == asleep_mark() ? nullptr : seen;
    // Release publishes the post; acquire is not needed to push, but the mark's reader goes on to
    // call the driver that the worker made before it.
  } while (!inbox_.compare_exchange_weak(seen, &post, std::memory_order_acq_rel,
                                         std::memory_order_relaxed));
  if (seen == asleep_mark()) driver_->wake();
}

void Worker::run_posts() noexcept {
  if (inbox_.load(std::memory_order_relaxed) == nullptr) return;
  Post* newest = inbox_.exchange(nullptr, std::memory_order_acquire);
  if (newest == asleep_mark()) return;
  Post* oldest = nullptr;
  while (newest != nullptr) {
    Post* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    Post* next = oldest->next;  // first: `run` may destroy or reuse the post
    oldest->run(*oldest);
    oldest = next;
  }
}

void Worker::run_task(TaskHeader& task) {
  if (task.leaf() == nullptr) {
    if ((task.load(std::memory_order_relaxed) & state::kCancelled) != 0) {
      --live_tasks_;
      detail::finish_unstarted(task);
      return;
    }
    task.set_leaf(task.frame());
  }
  current_task_ = &task;
  std::coroutine_handle<>::from_address(task.leaf()).resume();
  current_task_ = nullptr;
}

void Worker::run_ready_tasks() {
  for (unsigned left = tasks_per_turn_; left > 0 && !ready_.empty(); --left) {
    run_task(ready_.pop_front());
  }
}

void Worker::run_deferred() {
  if (deferred_.empty()) return;
  // What they defer again waits for the next turn.
  IntrusiveList<Deferred, DeferredTag> batch;
  batch.splice_back(deferred_);
  while (!batch.empty()) {
    Deferred& deferred = batch.pop_front();
    deferred.run(deferred);
  }
}

void Worker::adopt(WaitQueue& queue) { wait_queues_.push_back(queue); }

void Worker::read_clock() {
  now_ = Instant::now();
  // 256 ms, near enough: 2^28 ns.
  tick_bits_ = static_cast<state::Word>(now_.nanoseconds() >> 28) << state::kTickShift;
}

Duration Worker::sleep_limit() {
  std::optional<Instant> deadline = timers_.next_deadline();
  if (!deadline) return Driver::kForever;
  // The turn may have taken a while, so the clock is read once more before a sleep.
  read_clock();
  return *deadline > now_ ? *deadline - now_ : Duration::zero();
}

Duration Worker::poll_timeout() {
  if (stop_requested_ || has_work()) return Duration::zero();
  const Duration limit = sleep_limit();
  if (limit == Duration::zero()) return limit;
  Post* expected = nullptr;
  const bool may_sleep = inbox_.compare_exchange_strong(
      expected, asleep_mark(), std::memory_order_release, std::memory_order_relaxed);
  return may_sleep ? limit : Duration::zero();
}

void Worker::run_turn() {
  read_clock();
  run_posts();
  timers_.advance(now_);
  run_ready_tasks();
  run_deferred();
}

void Worker::run_loop() {
  detail::current_worker = this;
  while (!stop_requested_) {
    run_turn();
    driver_->poll(poll_timeout());
  }
  detail::current_worker = nullptr;
}

void Worker::stop_loop() noexcept { post(stop_post_); }

}  // namespace perch::task
