#include "perch/task/worker.h"

#include <atomic>
#include <deque>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/cpu_count.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

TEST(Worker, RunsEveryPostOfManyThreadsInTheOrderOfEach) {
  constexpr int kThreads = 4;
  constexpr int kPosts = 20'000;
  struct Item : Post {
    int* next_expected;
    int number;
    std::atomic<int>* done;
  };
  Runtime runtime({.workers = 1, .make_driver = {}});
  runtime.start();
  std::atomic<int> done{0};
  std::vector<int> expected(kThreads, 0);  // touched by the worker only
  std::deque<std::vector<Item>> items;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    items.emplace_back(kPosts);
    threads.emplace_back([&, t, &mine = items.back()] {
      for (int i = 0; i < kPosts; ++i) {
        Item& item = mine[static_cast<std::size_t>(i)];
        item.run = [](Post& post) noexcept {
          auto& self = static_cast<Item&>(post);
          EXPECT_EQ((*self.next_expected)++, self.number);
          self.done->fetch_add(1);
        };
        item.next_expected = &expected[static_cast<std::size_t>(t)];
        item.number = i;
        item.done = &done;
        runtime.worker(0).post(item);
        if (i % 1'000 == 0) std::this_thread::yield();  // let it fall asleep
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  runtime.stop();
  EXPECT_EQ(done.load(), kThreads * kPosts);
}

TEST(Worker, RunsDeferredWorkOnceAfterTheReadyTasksOfTheTurn) {
  run_on_one_worker([]() -> Task<> {
    struct Flush : Deferred {
      explicit Flush(std::string& log_)
          : Deferred([](Deferred& self) noexcept { static_cast<Flush&>(self).log += 'f'; }),
            log(log_) {}
      std::string& log;
    };
    std::string log;
    Flush flush(log);
    auto body = [](std::string& text, Flush& item) -> Task<> {
      text += 't';
      Worker::current()->defer(item);
      co_return;
    };
    JoinHandle<> a = spawn(body(log, flush));
    JoinHandle<> b = spawn(body(log, flush));
    (void)co_await sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(log, "ttf");

    Worker::current()->defer(flush);
    flush.unlink();
    (void)co_await sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(log, "ttf");
  }());
}

TEST(Worker, WorkThatDefersItselfRunsOnceATurnAndKeepsItAwake) {
  run_on_one_worker([]() -> Task<> {
    struct Again : Deferred {
      Again()
          : Deferred([](Deferred& base) noexcept {
              auto& self = static_cast<Again&>(base);
              if (++self.runs < 5) {
                Worker::current()->defer(self);
              } else {
                wake(*self.waiter, WaitOutcome::kValue);
              }
            }) {}
      int runs = 0;
      TaskHeader* waiter = nullptr;
    } again;
    struct WaitForIt {
      Again& item;
      bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<> leaf) const {
        item.waiter = &running_task();
        begin_wait(leaf);
        Worker::current()->defer(item);
      }
      Result<void> await_resume() const { return end_wait(); }
    };
    EXPECT_TRUE((co_await WaitForIt{again}).has_value());
    EXPECT_EQ(again.runs, 5);
  }());
}

TEST(Worker, KeepsABudgetOfTasksPerTurn) {
  Runtime runtime({.workers = 1, .make_driver = {}, .tasks_per_turn = 8});
  runtime.start();
  runtime.block_on([]() -> Task<> {
    struct Poke : Deferred {
      explicit Poke(int& turns_)
          : Deferred([](Deferred& self) noexcept {
              ++static_cast<Poke&>(self).turns;
              Worker::current()->defer(self);
            }),
            turns(turns_) {}
      int& turns;
    };
    int turns = 0;
    Poke poke(turns);
    Worker::current()->defer(poke);
    for (int i = 0; i < 80; ++i) (void)co_await yield();
    EXPECT_EQ(turns, 10);
  }());
}

TEST(Worker, CurrentIsNullOnOtherThreads) {
  EXPECT_EQ(Worker::current(), nullptr);
  EXPECT_EQ(current_cancel_reason(), std::nullopt);
}

TEST(CpuCount, IsAtLeastOne) { EXPECT_GE(usable_cpus(), 1u); }

}  // namespace
}  // namespace perch::task
