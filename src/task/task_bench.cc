#include <benchmark/benchmark.h>

#include "perch/task/event.h"
#include "perch/task/runtime.h"
#include "perch/task/sleep.h"

namespace perch::task {
namespace {

// Runs `body(state)` as a task of a one-worker runtime.
template <class Body>
void on_worker(benchmark::State& state, Body body) {
  RuntimeOptions options;
  options.workers = 1;
  Runtime runtime(std::move(options));
  runtime.start();
  runtime.block_on(body(state));
}

Task<int> immediate(int value) { co_return value; }

void start_immediate(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    for (auto _ : s) {
      JoinHandle<int> handle = start(immediate(1));
      benchmark::DoNotOptimize(handle.take());
    }
    co_return;
  });
}
BENCHMARK(start_immediate);

void await_immediate(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    for (auto _ : s) benchmark::DoNotOptimize(co_await immediate(1));
  });
}
BENCHMARK(await_immediate);

void spawn_and_join(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    for (auto _ : s) {
      JoinHandle<int> handle = spawn(immediate(1));
      benchmark::DoNotOptimize(co_await handle.join());
    }
  });
}
BENCHMARK(spawn_and_join);

void spawn_detached(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    int batch = 0;
    for (auto _ : s) {
      spawn(immediate(1)).detach();
      if (++batch % 64 == 0) (void)co_await yield();
    }
  });
}
BENCHMARK(spawn_detached);

void timer_arm_disarm(benchmark::State& state) {
  TimerWheel wheel(Instant(0));
  Timer timer([](Timer&) noexcept {});
  std::int64_t when = 1;
  for (auto _ : state) {
    wheel.arm(timer, Instant(when));
    timer.disarm();
    when = (when * 7 + 1'000'003) & 0xffffffffff;
  }
}
BENCHMARK(timer_arm_disarm);

Task<> echo(Event& ping, Event& pong) {
  for (;;) {
    if (Result<void> waited = co_await ping.wait(); !waited) co_return;
    ping.reset();
    pong.set();
  }
}

// One iteration: a set, a wait and a wake, twice.
void event_ping_pong(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    Event ping;
    Event pong;
    JoinHandle<> other = start(echo(ping, pong));
    for (auto _ : s) {
      ping.set();
      (void)co_await pong.wait();
      pong.reset();
    }
    other.cancel(CancelReason::kRequested);
    (void)co_await other.join();
  });
}
BENCHMARK(event_ping_pong);

void wait_with_deadline(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    Event ping;
    auto waiter = [](Event& event) -> Task<> {
      for (;;) {
        if (Result<void> got = co_await event.wait(Deadline::at(Instant(INT64_MAX - 1))); !got) {
          co_return;
        }
        event.reset();
      }
    };
    JoinHandle<> other = start(waiter(ping));
    for (auto _ : s) {
      ping.set();
      (void)co_await yield();
    }
    other.cancel(CancelReason::kRequested);
    (void)co_await other.join();
  });
}
BENCHMARK(wait_with_deadline);

// Waits until a post to the own worker has run: a turn of the loop, without a wake-up.
class PostHop {
 public:
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> leaf) {
    waiter_ = &running_task();
    begin_wait(leaf);
    hop_.self = this;
    hop_.run = [](Post& post) noexcept {
      wake(*static_cast<Hop&>(post).self->waiter_, WaitOutcome::kValue);
    };
    Worker::current()->post(hop_);
  }
  Result<void> await_resume() const { return end_wait(); }

 private:
  struct Hop : Post {
    PostHop* self;
  } hop_;
  TaskHeader* waiter_ = nullptr;
};

void post_to_itself(benchmark::State& state) {
  on_worker(state, [](benchmark::State& s) -> Task<> {
    for (auto _ : s) (void)co_await PostHop();
  });
}
BENCHMARK(post_to_itself);

void spawn_on_from_outside(benchmark::State& state) {
  RuntimeOptions options;
  options.workers = 1;
  Runtime runtime(std::move(options));
  runtime.start();
  for (auto _ : state) benchmark::DoNotOptimize(runtime.block_on(immediate(1)));
}
BENCHMARK(spawn_on_from_outside);

}  // namespace
}  // namespace perch::task
