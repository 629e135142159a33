// Cancellation, joins and drops from foreign threads, against everything else that a task does.
// Mostly of use under ThreadSanitizer and AddressSanitizer.
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/event.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

constexpr int kRounds = 3'000;

RuntimeOptions workers(unsigned count) {
  RuntimeOptions options;
  options.workers = count;
  return options;
}

struct Counters {
  std::atomic<int> frames{0};
};

class Counted {
 public:
  explicit Counted(Counters& counters) : counters_(&counters) { counters.frames.fetch_add(1); }
  Counted(Counted&& other) noexcept : counters_(std::exchange(other.counters_, nullptr)) {}
  Counted& operator=(Counted&&) = delete;
  ~Counted() {
    if (counters_ != nullptr) counters_->frames.fetch_sub(1);
  }

 private:
  Counters* counters_;
};

// Ends by itself after a few turns, sleeps, or both.
Task<int> wanderer(Counted, unsigned kind) {
  switch (kind % 4) {
    case 0:
      break;
    case 1:
      (void)co_await yield();
      break;
    case 2:
      (void)co_await sleep_for(std::chrono::milliseconds(1));
      break;
    default:
      (void)co_await yield();
      (void)co_await sleep_for(std::chrono::hours(1));
  }
  co_return static_cast<int>(kind);
}

TEST(CancelRace, ForeignThreadsCancelDropAndDetach) {
  Counters counters;
  {
    Runtime runtime(workers(2));
    runtime.start();
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 2; ++t) {
      threads.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int i = 0; i < kRounds; ++i) {
          Worker& worker = runtime.worker(random() % 2);
          JoinHandle<int> handle = spawn_on(worker, wanderer(Counted(counters), random()));
          for (unsigned spin = random() % 4; spin > 0; --spin) std::this_thread::yield();
          switch (random() % 4) {
            case 0:
              handle.cancel(CancelReason::kRequested);
              while (!handle.done()) std::this_thread::yield();
              break;
            case 1:
              handle.cancel(CancelReason::kRequested);
              break;
            case 2:
              handle.detach();
              break;
            default:
              break;  // dropped
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(counters.frames.load(), 0);
}

TEST(CancelRace, JoinsAcrossWorkersAgainstDeadlinesAndCancels) {
  Counters counters;
  std::atomic<int> ended{0};
  {
    Runtime runtime(workers(2));
    runtime.start();
    auto joiner = [](Counted, Runtime& r, Counters& c, std::atomic<int>& n,
                     unsigned seed) -> Task<> {
      std::mt19937 random(seed);
      for (int i = 0; i < 20; ++i) {
        JoinHandle<int> handle =
            spawn_on(r.worker(random() % 2), wanderer(Counted(c), random() % 3));
        if (random() % 4 == 0) handle.cancel(CancelReason::kRequested);
        // Not one conditional expression: docs/coroutines.md, section 6.
        Deadline deadline = Deadline::never();
        if (random() % 2 == 0) deadline = Deadline::after(std::chrono::milliseconds(1));
        Result<int> result = co_await handle.join(deadline);
        if (!result && result.error().code() == ErrorCode::kTimedOut && random() % 2 == 0) {
          result = co_await handle.join();
          EXPECT_TRUE(is_cancelled() || handle.done());
        }
      }
      n.fetch_add(1);
    };
    std::mt19937 random(7);
    std::vector<JoinHandle<>> handles;
    for (unsigned i = 0; i < kRounds / 20; ++i) {
      handles.push_back(
          spawn_on(runtime.worker(i % 2), joiner(Counted(counters), runtime, counters, ended, i)));
      if (random() % 3 == 0) {
        handles[random() % handles.size()].cancel(CancelReason::kDeadline);
      }
    }
    for (JoinHandle<>& handle : handles) {
      while (!handle.done()) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
  EXPECT_EQ(counters.frames.load(), 0);
  EXPECT_GT(ended.load(), 0);
}

TEST(CancelRace, EventsAgainstForeignCancels) {
  Runtime runtime(workers(1));
  runtime.start();
  auto waiter = [](Event& event) -> Task<bool> { co_return (co_await event.wait()).has_value(); };
  for (int round = 0; round < kRounds / 10; ++round) {
    auto event = std::make_unique<Event>();
    JoinHandle<bool> waiting = spawn_on(runtime.worker(0), waiter(*event));
    auto set = [](Event& e) -> Task<> {
      e.set();
      co_return;
    };
    JoinHandle<> setting = spawn_on(runtime.worker(0), set(*event));
    waiting.cancel(CancelReason::kRequested);
    while (!waiting.done() || !setting.done()) std::this_thread::yield();
    // Destroyed where it belongs.
    runtime.block_on([](std::unique_ptr<Event>) -> Task<> { co_return; }(std::move(event)));
  }
}

TEST(CancelRace, StopAgainstForeignCancelsAndDrops) {
  for (int round = 0; round < 30; ++round) {
    Counters counters;
    {
      Runtime runtime(workers(2));
      runtime.start();
      std::thread foreign([&] {
        std::vector<JoinHandle<int>> handles;
        for (unsigned i = 0; i < 100; ++i) {
          handles.push_back(spawn_on(runtime.worker(i % 2), wanderer(Counted(counters), i)));
          if (i % 3 == 0) handles[i / 2].cancel(CancelReason::kRequested);
        }
      });
      runtime.stop();
      foreign.join();
    }
    EXPECT_EQ(counters.frames.load(), 0);
  }
}

}  // namespace
}  // namespace perch::task
