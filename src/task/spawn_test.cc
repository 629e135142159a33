#include "perch/task/spawn.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/event.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

Task<int> value(int v) { co_return v; }

// Waits for the event; appends how that ended.
Task<> wait_for(Event& event, std::vector<std::string>& log, Alive) {
  Result<void> outcome = co_await event.wait();
  log.push_back(outcome ? "value" : std::string(to_string(outcome.error().code())));
}

struct Listener final : CompletionListener {
  void on_task_done() noexcept override { ++calls; }
  int calls = 0;
};

TEST(Start, RunsATaskThatDoesNotWaitWithinTheCall) {
  run_on_one_worker([]() -> Task<> {
    JoinHandle<int> handle = start(value(3));
    EXPECT_TRUE(handle.done());
    EXPECT_EQ(handle.take(), 3);
    co_return;
  }());
}

TEST(Start, ReturnsAtTheFirstWaitAndTheTaskGoesOnLater) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<std::unique_ptr<int>> {
      (void)co_await e.wait();
      co_return std::make_unique<int>(9);
    };
    JoinHandle<std::unique_ptr<int>> handle = start(body(event));
    EXPECT_FALSE(handle.done());
    event.set();
    EXPECT_FALSE(handle.done());
    Result<std::unique_ptr<int>> result = co_await handle.join(Deadline::never());
    EXPECT_EQ(**result, 9);
  }());
}

TEST(Start, NestsWithinARunningTask) {
  run_on_one_worker([]() -> Task<> {
    std::vector<int> order;
    auto inner = [](std::vector<int>& log) -> Task<> {
      log.push_back(2);
      (void)co_await yield();
      log.push_back(5);
    };
    auto middle = [&inner](std::vector<int>& log) -> Task<> {
      log.push_back(1);
      JoinHandle<> handle = start(inner(log));
      log.push_back(3);
      (void)co_await handle.join();
      log.push_back(6);
    };
    TaskHeader& self = running_task();
    JoinHandle<> handle = start(middle(order));
    EXPECT_EQ(&running_task(), &self);
    order.push_back(4);
    (void)co_await handle.join();
    EXPECT_EQ(order, (std::vector{1, 2, 3, 4, 5, 6}));
  }());
}

TEST(Start, WorksOutsideOfAnyTask) {
  Runtime runtime({.workers = 1, .make_driver = {}});
  struct Starter : Post {
    int result = 0;
  } starter;
  starter.run = [](Post& post) noexcept {
    static_cast<Starter&>(post).result = start(value(4)).take();
  };
  starter.next = nullptr;
  runtime.worker(0).post(starter);
  runtime.start();
  runtime.block_on([]() -> Task<> { co_return; }());
  EXPECT_EQ(starter.result, 4);
}

TEST(Spawn, QueuesBehindReadyTasks) {
  run_on_one_worker([]() -> Task<> {
    std::string order;
    auto body = [](std::string& log, char name) -> Task<> {
      log += name;
      co_return;
    };
    JoinHandle<> a = spawn(body(order, 'a'));
    JoinHandle<> b = spawn(body(order, 'b'));
    order += '-';
    (void)co_await b.join();
    EXPECT_EQ(order, "-ab");
    EXPECT_TRUE(a.done());
  }());
}

TEST(Spawn, TakeThrowsWhatTheTaskThrew) {
  run_on_one_worker([]() -> Task<> {
    auto body = []() -> Task<int> {
      throw std::runtime_error("no");
      co_return 1;
    };
    JoinHandle<int> started = start(body());
    EXPECT_THROW(started.take(), std::runtime_error);
    JoinHandle<int> spawned = spawn(body());
    bool caught = false;
    try {
      (void)co_await spawned.join();
    } catch (const std::runtime_error&) {
      caught = true;
    }
    EXPECT_TRUE(caught);
  }());
}

TEST(SpawnOn, ReachesTheWorkerFromAnyThread) {
  Runtime runtime({.workers = 2, .make_driver = {}});
  runtime.start();
  auto where = []() -> Task<unsigned> { co_return Worker::current()->index(); };
  const auto got = runtime.block_on([](Runtime& r, auto body) -> Task<unsigned> {
    EXPECT_EQ(Worker::current()->index(), 0u);
    JoinHandle<unsigned> handle = spawn_on(r.worker(1), body());
    Result<unsigned> index = co_await handle.join();
    co_return *index;
  }(runtime, where));
  EXPECT_EQ(got, 1u);
}

TEST(JoinHandle, DroppingUnwindsAWaitingTaskOnItsWorker) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    {
      JoinHandle<> handle = start(wait_for(event, log, Alive(alive)));
      EXPECT_EQ(alive, 1);
    }
    EXPECT_TRUE(log.empty());
    (void)co_await yield();
    EXPECT_EQ(log, std::vector<std::string>{"cancelled"});
    EXPECT_EQ(alive, 0);
  }());
}

TEST(JoinHandle, DroppingBeforeTheStartMeansThatTheTaskNeverRuns) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    {
      JoinHandle<> handle = spawn(wait_for(event, log, Alive(alive)));
    }
    EXPECT_EQ(alive, 1);
    (void)co_await yield();
    EXPECT_EQ(alive, 0);
    EXPECT_TRUE(log.empty());
  }());
}

TEST(JoinHandle, DroppingAfterTheEndDestroysTheResult) {
  run_on_one_worker([]() -> Task<> {
    int alive = 0;
    auto body = [](int& count) -> Task<Alive> { co_return Alive(count); };
    {
      JoinHandle<Alive> handle = start(body(alive));
      EXPECT_EQ(alive, 1);
    }
    EXPECT_EQ(alive, 0);
    co_return;
  }());
}

TEST(JoinHandle, CancelBeforeTheStartAnswersCancelled) {
  run_on_one_worker([]() -> Task<> {
    JoinHandle<int> handle = spawn(value(1));
    handle.cancel(CancelReason::kStreamReset);
    Result<int> result = co_await handle.join();
    EXPECT_EQ(result.error().code(), ErrorCode::kCancelled);
    try {
      handle.take();
      ADD_FAILURE();
    } catch (const TaskCancelled& cancelled) {
      EXPECT_EQ(cancelled.reason(), CancelReason::kStreamReset);
    }
  }());
}

TEST(JoinHandle, DetachedTasksRunOn) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    start(wait_for(event, log, Alive(alive))).detach();
    spawn(wait_for(event, log, Alive(alive))).detach();
    (void)co_await yield();
    event.set();
    (void)co_await yield();
    EXPECT_EQ(log, (std::vector<std::string>{"value", "value"}));
    EXPECT_EQ(alive, 0);
  }());
}

TEST(JoinHandle, AssigningDropsTheOldTask) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    JoinHandle<> handle = start(wait_for(event, log, Alive(alive)));
    handle = start(wait_for(event, log, Alive(alive)));
    (void)co_await yield();
    EXPECT_EQ(log, std::vector<std::string>{"cancelled"});
    EXPECT_EQ(alive, 1);
    event.set();
    (void)co_await handle.join();
  }());
}

TEST(CompletionListener, IsToldOnceWhenTheTaskEnds) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    Listener listener;
    JoinHandle<> handle = start(wait_for(event, log, Alive(alive)));
    handle.on_done(&listener);
    event.set();
    EXPECT_EQ(listener.calls, 0);
    (void)co_await yield();
    EXPECT_EQ(listener.calls, 1);
    EXPECT_TRUE(handle.done());
  }());
}

TEST(CompletionListener, MayTakeTheResultAndDropTheHandle) {
  run_on_one_worker([]() -> Task<> {
    struct Taker final : CompletionListener {
      void on_task_done() noexcept override {
        result = handle.take();
        handle = JoinHandle<int>();
      }
      JoinHandle<int> handle;
      int result = 0;
    } taker;
    auto body = []() -> Task<int> {
      (void)co_await yield();
      co_return 11;
    };
    taker.handle = start(body());
    taker.handle.on_done(&taker);
    (void)co_await yield();
    EXPECT_EQ(taker.result, 11);
    EXPECT_FALSE(taker.handle.valid());
  }());
}

TEST(CompletionListener, IsForgottenWhenTheHandleGoes) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<std::string> log;
    int alive = 0;
    auto listener = std::make_unique<Listener>();
    {
      JoinHandle<> dropped = start(wait_for(event, log, Alive(alive)));
      dropped.on_done(listener.get());
      JoinHandle<> detached = start(wait_for(event, log, Alive(alive)));
      detached.on_done(listener.get());
      detached.detach();
    }
    listener.reset();
    event.set();
    (void)co_await yield();
    EXPECT_EQ(log.size(), 2u);
    EXPECT_EQ(alive, 0);
  }());
}

}  // namespace
}  // namespace perch::task
