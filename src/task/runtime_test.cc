#include "perch/task/runtime.h"

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/event.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

using std::chrono::hours;

RuntimeOptions workers(unsigned count) {
  RuntimeOptions options;
  options.workers = count;
  return options;
}

TEST(Runtime, BlockOnReturnsValuesAndThrows) {
  Runtime runtime(workers(2));
  runtime.start();
  EXPECT_EQ(runtime.size(), 2u);
  EXPECT_EQ(*runtime.block_on(
                []() -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(1); }()),
            1);
  EXPECT_THROW(runtime.block_on([]() -> Task<> {
    throw std::runtime_error("x");
    co_return;
  }()),
               std::runtime_error);
}

TEST(Runtime, StopUnwindsTasksWhereverTheyWait) {
  int alive = 0;
  int unwound = 0;
  Event event;
  {
    Runtime runtime(workers(1));
    runtime.start();
    runtime.block_on([](Event& e, int& count, int& ended) -> Task<> {
      auto on_event = [](Event& ev, Alive, int& n) -> Task<> {
        Result<void> outcome = co_await ev.wait();
        EXPECT_EQ(outcome.error().code(), ErrorCode::kCancelled);
        EXPECT_EQ(current_cancel_reason(), CancelReason::kShutdown);
        ++n;
      };
      auto on_event_with_deadline = [](Event& ev, Alive, int& n) -> Task<> {
        Result<void> outcome = co_await ev.wait(Deadline::after(hours(1)));
        EXPECT_EQ(outcome.error().code(), ErrorCode::kCancelled);
        ++n;
      };
      auto on_sleep = [](Alive, int& n) -> Task<> {
        Result<void> outcome = co_await sleep_for(hours(1));
        EXPECT_EQ(outcome.error().code(), ErrorCode::kCancelled);
        ++n;
      };
      auto on_join = [](Alive, int& n, Task<> target) -> Task<> {
        JoinHandle<> handle = start(std::move(target));
        Result<void> outcome = co_await handle.join();
        ++n;
        (void)outcome;
      };
      start(on_event(e, Alive(count), ended)).detach();
      start(on_event_with_deadline(e, Alive(count), ended)).detach();
      start(on_sleep(Alive(count), ended)).detach();
      start(on_join(Alive(count), ended, on_sleep(Alive(count), ended))).detach();
      co_return;
    }(event, alive, unwound));
    EXPECT_EQ(alive, 5);
    runtime.stop();
    EXPECT_EQ(alive, 0);
    EXPECT_EQ(unwound, 5);
  }
}

TEST(Runtime, StopNeverStartsWhatIsQueued) {
  int alive = 0;
  bool ran = false;
  auto body = [](Alive, bool& flag) -> Task<> {
    flag = true;
    co_return;
  };
  Runtime runtime(workers(1));
  spawn_on(runtime.worker(0), body(Alive(alive), ran)).detach();
  JoinHandle<> kept = spawn_on(runtime.worker(0), body(Alive(alive), ran));
  runtime.stop();  // was never started
  EXPECT_FALSE(ran);
  EXPECT_TRUE(kept.done());
  EXPECT_THROW(kept.take(), TaskCancelled);
  EXPECT_EQ(alive, 1);
  kept = JoinHandle<>();
  EXPECT_EQ(alive, 0);
}

TEST(Runtime, WhatIsSpawnedAfterStopIsDestroyedWithTheRuntime) {
  int alive = 0;
  {
    Runtime runtime(workers(1));
    runtime.start();
    runtime.stop();
    auto body = [](Alive) -> Task<> { co_return; };
    spawn_on(runtime.worker(0), body(Alive(alive))).detach();
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Runtime, StopDestroysTasksThatIgnoreTheirCancellation) {
  int alive = 0;
  JoinHandle<> kept;
  {
    Runtime runtime(workers(2));
    runtime.start();
    auto stubborn = [](Alive) -> Task<> {
      for (;;) (void)co_await sleep_for(hours(1));
    };
    auto nested = [&stubborn](Alive self, int& count) -> Task<> {
      co_await stubborn(Alive(count));
      (void)self;
    };
    spawn_on(runtime.worker(0), stubborn(Alive(alive))).detach();
    spawn_on(runtime.worker(1), nested(Alive(alive), alive)).detach();
    kept = spawn_on(runtime.worker(1), stubborn(Alive(alive)));
    auto nothing = []() -> Task<> { co_return; };
    runtime.block_on(nothing());
    JoinHandle<> barrier = spawn_on(runtime.worker(1), nothing());
    while (!barrier.done()) std::this_thread::yield();
    runtime.stop();
    EXPECT_EQ(alive, 1);  // the frame that the handle keeps
  }
  EXPECT_TRUE(kept.done());
  kept = JoinHandle<>();
  EXPECT_EQ(alive, 0);
}

// Frames go in any order: the waiting ones are registered at tasks whose handles belong to others.
TEST(Runtime, StopDestroysTasksThatJoinEachOtherAndIgnoreTheirCancellation) {
  int alive = 0;
  {
    Runtime runtime(workers(2));
    auto stubborn = [](Alive) -> Task<> {
      for (;;) (void)co_await sleep_for(hours(1));
    };
    auto joiner = [](JoinHandle<>& target, Alive) -> Task<> {
      for (;;) (void)co_await target.join();
    };
    auto parent = [](Worker& other, Alive, auto make_target, auto make_joiner, int& n) -> Task<> {
      JoinHandle<> here = start(make_target(Alive(n)));
      JoinHandle<> there = spawn_on(other, make_target(Alive(n)));
      JoinHandle<> first = start(make_joiner(here, Alive(n)));
      JoinHandle<> second = start(make_joiner(there, Alive(n)));
      for (;;) (void)co_await sleep_for(hours(1));
    };
    runtime.start();
    auto nothing = []() -> Task<> { co_return; };
    spawn_on(runtime.worker(0), parent(runtime.worker(1), Alive(alive), stubborn, joiner, alive))
        .detach();
    runtime.block_on(nothing());
    JoinHandle<> barrier = spawn_on(runtime.worker(1), nothing());
    while (!barrier.done()) std::this_thread::yield();
    runtime.stop();
  }
  EXPECT_EQ(alive, 0);
}

TEST(Runtime, StopUnwindsTasksThatJoinAcrossWorkers) {
  Runtime runtime(workers(2));
  runtime.start();
  auto sleeper = []() -> Task<> { (void)co_await sleep_for(hours(1)); };
  auto joiner = [](Worker& other, Task<> target) -> Task<> {
    JoinHandle<> handle = spawn_on(other, std::move(target));
    (void)co_await handle.join();
  };
  for (int i = 0; i < 50; ++i) {
    spawn_on(runtime.worker(0), joiner(runtime.worker(1), sleeper())).detach();
    spawn_on(runtime.worker(1), joiner(runtime.worker(0), sleeper())).detach();
  }
  runtime.stop();
}

TEST(Runtime, BlockOnThrowsWhenTheRuntimeStopsFirst) {
  auto runtime = std::make_unique<Runtime>(workers(1));
  runtime->start();
  // What reaches a runtime after it has stopped would wait for its destruction.
  std::atomic<bool> running = false;
  auto stubborn = [](std::atomic<bool>& started) -> Task<int> {
    started = true;
    started.notify_one();
    for (;;) (void)co_await sleep_for(hours(1));
  };
  std::thread waiter([&] { EXPECT_THROW(runtime->block_on(stubborn(running)), TaskCancelled); });
  running.wait(false);
  runtime->stop();
  waiter.join();
}

TEST(Runtime, TwoRuntimesLiveSideBySide) {
  Runtime a(workers(1));
  Runtime b(workers(1));
  a.start();
  b.start();
  auto value = []() -> Task<int> { co_return 6; };
  const int got = a.block_on([](Worker& other, Task<int> task) -> Task<int> {
    JoinHandle<int> handle = spawn_on(other, std::move(task));
    co_return *co_await handle.join();
  }(b.worker(0), value()));
  EXPECT_EQ(got, 6);
}

}  // namespace
}  // namespace perch::task
