#include "perch/task/task.h"

#include <memory>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PERCH_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PERCH_SANITIZED 1
#endif
#endif

// Without optimisation a symmetric transfer is a nested call.
#if defined(__OPTIMIZE__) && !defined(PERCH_SANITIZED)
constexpr int kManyAwaits = 1'000'000;
constexpr int kDeepChain = 100'000;
#else
constexpr int kManyAwaits = 5'000;
constexpr int kDeepChain = 1'000;
#endif

Task<int> value(int v) { co_return v; }
Task<std::unique_ptr<int>> boxed(int v) { co_return std::make_unique<int>(v); }
Task<> thrower(std::string text) {
  throw std::runtime_error(text);
  co_return;
}

TEST(Task, ReturnsValuesThroughAwaits) {
  auto sum = []() -> Task<int> { co_return co_await value(40) + co_await value(2); };
  EXPECT_EQ(run_on_one_worker(sum()), 42);
}

TEST(Task, ReturnsMoveOnlyResults) {
  auto unbox = []() -> Task<int> {
    std::unique_ptr<int> box = co_await boxed(7);
    co_return *box;
  };
  EXPECT_EQ(run_on_one_worker(unbox()), 7);
}

TEST(Task, AwaitsANamedTask) {
  auto outer = []() -> Task<int> {
    Task<int> inner = value(5);
    co_return co_await std::move(inner);
  };
  EXPECT_EQ(run_on_one_worker(outer()), 5);
}

TEST(Task, CarriesExceptionsToTheAwaiter) {
  auto catcher = []() -> Task<std::string> {
    std::string caught;
    try {
      co_await thrower("one");
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
    co_return caught;
  };
  EXPECT_EQ(run_on_one_worker(catcher()), "one");
}

TEST(Task, CarriesExceptionsPastASuspension) {
  auto late = []() -> Task<> {
    (void)co_await yield();
    co_await thrower("late");
  };
  EXPECT_THROW(run_on_one_worker(late()), std::runtime_error);
}

TEST(Task, IsLazyAndDestroysAnUnstartedFrame) {
  int alive = 0;
  bool ran = false;
  auto body = [](Alive, bool* flag) -> Task<> {
    *flag = true;
    co_return;
  };
  {
    Task<> task = body(Alive(alive), &ran);
    EXPECT_TRUE(task.valid());
    EXPECT_EQ(alive, 1);
    Task<> moved = std::move(task);
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(ran);
}

TEST(Task, FreesAnAwaitedFrameAtTheEndOfTheExpression) {
  int alive = 0;
  auto body = [](Alive) -> Task<int> { co_return 1; };
  auto outer = [&]() -> Task<int> {
    const int result = co_await body(Alive(alive));
    co_return result + alive;
  };
  EXPECT_EQ(run_on_one_worker(outer()), 1);
}

TEST(Task, AwaitsInALoopDoNotGrowTheStack) {
  auto loop = []() -> Task<long> {
    long sum = 0;
    for (int i = 0; i < kManyAwaits; ++i) sum += co_await value(1);
    co_return sum;
  };
  EXPECT_EQ(run_on_one_worker(loop()), kManyAwaits);
}

Task<int> chain(int depth) {
  if (depth == 0) {
    (void)co_await yield();
    co_return 0;
  }
  const int below = co_await chain(depth - 1);
  co_return below + 1;
}

TEST(Task, AwaitsDoNotNestOnTheStack) {
  EXPECT_EQ(run_on_one_worker(chain(kDeepChain)), kDeepChain);
}

}  // namespace
}  // namespace perch::task
