// Events, sleeps, joins: value, cancellation and timeout.
#include "perch/task/wait.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/event.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

std::string describe(const Result<void>& result) {
  return result ? "value" : std::string(to_string(result.error().code()));
}

TEST(Event, WakesInTheOrderOfWaiting) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    std::vector<int> order;
    auto body = [](Event& e, std::vector<int>& log, int name) -> Task<> {
      (void)co_await e.wait();
      log.push_back(name);
    };
    std::vector<JoinHandle<>> handles;
    for (int i = 0; i < 4; ++i) handles.push_back(start(body(event, order, i)));
    event.set();
    (void)co_await handles.back().join();
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3}));
  }());
}

TEST(Event, ASetFollowedByAResetStillWakes) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<bool> { co_return (co_await e.wait()).has_value(); };
    JoinHandle<bool> handle = start(body(event));
    event.set();
    event.reset();
    EXPECT_FALSE(event.is_set());
    EXPECT_EQ(co_await handle.join(), true);
  }());
}

TEST(Event, DoesNotSuspendWhenSet) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    event.set();
    auto body = [](Event& e) -> Task<> {
      EXPECT_TRUE((co_await e.wait()).has_value());
      EXPECT_TRUE((co_await e.wait(Deadline::never())).has_value());
    };
    EXPECT_TRUE(start(body(event)).done());
    co_return;
  }());
}

TEST(Event, WaitEndsAtItsDeadline) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    EXPECT_EQ(describe(co_await event.wait(Deadline::after(milliseconds(2)))), "timed out");
    // What a timeout left behind does not spoil the next wait.
    event.set();
    EXPECT_EQ(describe(co_await event.wait(Deadline::after(hours(1)))), "value");
  }());
}

TEST(Event, ValueBeatsADeadlineThatComesLater) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<std::string> {
      co_return describe(co_await e.wait(Deadline::after(hours(1))));
    };
    JoinHandle<std::string> handle = start(body(event));
    event.set();
    EXPECT_EQ(co_await handle.join(), "value");
    EXPECT_EQ(Worker::current()->timers().next_deadline(), std::nullopt);
  }());
}

TEST(Cancellation, EndsTheWaitAndEveryLaterOne) {
  run_on_one_worker([]() -> Task<> {
    auto body = []() -> Task<std::vector<std::string>> {
      std::vector<std::string> log;
      Event never;
      Event set;
      set.set();
      EXPECT_EQ(current_cancel_reason(), std::nullopt);
      log.push_back(describe(co_await never.wait()));
      EXPECT_EQ(current_cancel_reason(), CancelReason::kConnectionLost);
      log.push_back(describe(co_await never.wait(Deadline::after(hours(1)))));
      log.push_back(describe(co_await set.wait()));
      log.push_back(describe(co_await sleep_for(hours(1))));
      log.push_back(describe(co_await yield()));
      co_return log;
    };
    JoinHandle<std::vector<std::string>> handle = start(body());
    handle.cancel(CancelReason::kConnectionLost);
    handle.cancel(CancelReason::kRequested);  // the first reason stays
    Result<std::vector<std::string>> log = co_await handle.join();
    EXPECT_EQ(*log, std::vector<std::string>(5, "cancelled"));
  }());
}

TEST(Cancellation, LosesAgainstAValueThatCameFirst) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<std::string> { co_return describe(co_await e.wait()); };
    JoinHandle<std::string> handle = start(body(event));
    event.set();
    handle.cancel(CancelReason::kRequested);
    EXPECT_EQ(co_await handle.join(), "value");
  }());
}

TEST(Cancellation, ATaskThatIgnoresItDoesNotHoldItsWorkerUp) {
  run_on_one_worker([]() -> Task<> {
    bool stop = false;
    auto stubborn = [](bool& flag) -> Task<> {
      while (!flag) (void)co_await sleep_for(hours(1));
    };
    JoinHandle<> handle = start(stubborn(stop));
    handle.cancel(CancelReason::kRequested);
    for (int i = 0; i < 10; ++i) (void)co_await yield();
    EXPECT_FALSE(handle.done());
    stop = true;
    (void)co_await handle.join();
  }());
}

TEST(Sleep, WakesAndInOrder) {
  run_on_one_worker([]() -> Task<> {
    std::string order;
    auto body = [](std::string& log, int ms, char name) -> Task<> {
      EXPECT_TRUE((co_await sleep_until(Worker::current()->now() + milliseconds(ms))).has_value());
      log += name;
    };
    JoinHandle<> later = start(body(order, 6, 'b'));
    JoinHandle<> sooner = start(body(order, 2, 'a'));
    (void)co_await later.join();
    EXPECT_EQ(order, "ab");
    const Instant before = Instant::now();
    EXPECT_TRUE((co_await sleep_for(milliseconds(3))).has_value());
    EXPECT_GE(Instant::now() - before, milliseconds(3));  // never early
  }());
}

TEST(Join, EndsAtItsDeadlineAndCanBeRepeated) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<int> {
      (void)co_await e.wait();
      co_return 5;
    };
    JoinHandle<int> handle = start(body(event));
    Result<int> first = co_await handle.join(Deadline::after(milliseconds(1)));
    EXPECT_EQ(first.error().code(), ErrorCode::kTimedOut);
    event.set();
    EXPECT_EQ(co_await handle.join(Deadline::never()), 5);
  }());
}

TEST(Join, OfACancelledWaiterLeavesTheTargetRunning) {
  run_on_one_worker([]() -> Task<> {
    Event event;
    auto body = [](Event& e) -> Task<int> {
      (void)co_await e.wait();
      co_return 5;
    };
    JoinHandle<int> target = start(body(event));
    auto waiter = [](JoinHandle<int>& handle) -> Task<bool> {
      Result<int> result = co_await handle.join();
      co_return !result && result.error().code() == ErrorCode::kCancelled;
    };
    JoinHandle<bool> joining = start(waiter(target));
    joining.cancel(CancelReason::kRequested);
    EXPECT_EQ(co_await joining.join(), true);
    EXPECT_FALSE(target.done());
    event.set();
    EXPECT_EQ(co_await target.join(), 5);
  }());
}

}  // namespace
}  // namespace perch::task
