#include "perch/task/timer_wheel.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace perch::task {
namespace {

constexpr Instant at_ms(std::int64_t ms) { return Instant(ms * 1'000'000); }

struct Recorder : Timer {
  Recorder(std::vector<int>& log_, int name_) : Timer(&on_fire), log(log_), name(name_) {}
  static void on_fire(Timer& timer) noexcept {
    auto& self = static_cast<Recorder&>(timer);
    self.log.push_back(self.name);
  }
  std::vector<int>& log;
  int name;
};

TEST(TimerWheel, FiresAtItsTickAndNotBefore) {
  TimerWheel wheel(at_ms(1'000));
  std::vector<int> log;
  Recorder timer(log, 1);
  wheel.arm(timer, at_ms(1'010));
  EXPECT_EQ(wheel.advance(at_ms(1'009)), 0u);
  EXPECT_TRUE(timer.is_armed());
  EXPECT_EQ(wheel.advance(at_ms(1'010)), 1u);
  EXPECT_FALSE(timer.is_armed());
  EXPECT_EQ(log, std::vector{1});
}

TEST(TimerWheel, RoundsAFractionOfATickUp) {
  TimerWheel wheel(at_ms(0));
  std::vector<int> log;
  Recorder timer(log, 1);
  wheel.arm(timer, Instant(5'000'001));
  EXPECT_EQ(wheel.advance(Instant(5'999'999)), 0u);
  EXPECT_EQ(wheel.advance(at_ms(6)), 1u);
}

TEST(TimerWheel, FiresWhatIsAlreadyDueAtTheNextAdvance) {
  TimerWheel wheel(at_ms(50));
  std::vector<int> log;
  Recorder past(log, 1);
  Recorder present(log, 2);
  wheel.arm(past, at_ms(10));
  wheel.arm(present, at_ms(50));
  EXPECT_EQ(wheel.next_deadline(), at_ms(50));
  EXPECT_EQ(wheel.advance(at_ms(50)), 2u);
  EXPECT_EQ(log, (std::vector{1, 2}));
}

TEST(TimerWheel, DisarmedTimersDoNotFire) {
  TimerWheel wheel(at_ms(0));
  std::vector<int> log;
  Recorder kept(log, 1);
  Recorder disarmed(log, 2);
  wheel.arm(kept, at_ms(100'000));
  wheel.arm(disarmed, at_ms(100));
  {
    Recorder destroyed(log, 3);
    wheel.arm(destroyed, at_ms(100));
  }
  disarmed.disarm();
  EXPECT_EQ(wheel.advance(at_ms(200'000)), 1u);
  EXPECT_EQ(log, std::vector{1});
  EXPECT_EQ(wheel.next_deadline(), std::nullopt);
}

TEST(TimerWheel, TakesTheFarthestInstant) {
  TimerWheel wheel(at_ms(0));
  std::vector<int> log;
  Recorder timer(log, 1);
  wheel.arm(timer, Instant(INT64_MAX - 1));
  EXPECT_EQ(wheel.advance(at_ms(1'000'000'000)), 0u);
  EXPECT_GT(*wheel.next_deadline(), at_ms(1'000'000'000));
}

TEST(TimerWheel, IgnoresTimeThatGoesBack) {
  TimerWheel wheel(at_ms(100));
  wheel.advance(at_ms(200));
  std::vector<int> log;
  Recorder timer(log, 1);
  wheel.arm(timer, at_ms(205));
  EXPECT_EQ(wheel.advance(at_ms(150)), 0u);
  EXPECT_EQ(wheel.advance(at_ms(205)), 1u);
}

TEST(TimerWheel, ACallbackMayDisarmANeighbourAndRearmItself) {
  TimerWheel wheel(at_ms(0));
  struct Mischief : Timer {
    Mischief(TimerWheel& wheel_, Timer& victim_)
        : Timer([](Timer& timer) noexcept {
            auto& self = static_cast<Mischief&>(timer);
            ++self.fired;
            self.victim.disarm();
            self.wheel.arm(self, at_ms(10));  // its own tick again: late, so the next advance
          }),
          wheel(wheel_),
          victim(victim_) {}
    TimerWheel& wheel;
    Timer& victim;
    int fired = 0;
  };
  std::vector<int> log;
  Recorder victim(log, 1);
  Mischief mischief(wheel, victim);
  wheel.arm(mischief, at_ms(10));
  wheel.arm(victim, at_ms(10));
  EXPECT_EQ(wheel.advance(at_ms(20)), 1u);
  EXPECT_EQ(wheel.advance(at_ms(20)), 1u);
  EXPECT_EQ(mischief.fired, 2);
  EXPECT_TRUE(log.empty());
}

// The model: timers sorted by tick, then by the order in which they were armed.
TEST(TimerWheel, AgreesWithASortedListOverRandomUse) {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 40; ++round) {
    std::int64_t now = static_cast<std::int64_t>(random() % 100'000'000);
    TimerWheel wheel(at_ms(now));
    std::vector<int> log;
    std::deque<Recorder> timers;
    for (int i = 0; i < 200; ++i) timers.emplace_back(log, i);
    std::multimap<std::int64_t, int> model;

    for (int step = 0; step < 500; ++step) {
      const auto name = static_cast<std::size_t>(random() % timers.size());
      switch (random() % 4) {
        case 0:
        case 1:
          if (!timers[name].is_armed()) {
            const int reach = static_cast<int>(random() % 28);
            const std::int64_t tick =
                now + 1 + static_cast<std::int64_t>(random() % (std::uint64_t{1} << reach));
            wheel.arm(timers[name], at_ms(tick));
            model.emplace(tick, static_cast<int>(name));
          }
          break;
        case 2:
          timers[name].disarm();
          std::erase_if(model, [&](auto& entry) { return entry.second == static_cast<int>(name); });
          break;
        default: {
          now += static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 24)));
          std::vector<int> expected;
          while (!model.empty() && model.begin()->first <= now) {
            expected.push_back(model.begin()->second);
            model.erase(model.begin());
          }
          log.clear();
          EXPECT_EQ(wheel.advance(at_ms(now)), expected.size());
          ASSERT_EQ(log, expected);
          std::optional<Instant> next = wheel.next_deadline();
          ASSERT_EQ(next.has_value(), !model.empty());
          if (next) {
            ASSERT_LE(*next, at_ms(model.begin()->first));
            ASSERT_GT(*next, at_ms(now));
          }
        }
      }
    }
  }
}

TEST(TimerWheel, SleepingUntilEachDeadlineReachesATimerInFewSteps) {
  TimerWheel wheel(at_ms(12'345));
  std::vector<int> log;
  Recorder timer(log, 1);
  wheel.arm(timer, at_ms(12'345 + 3'600'000));
  int steps = 0;
  while (log.empty()) {
    wheel.advance(*wheel.next_deadline());
    ++steps;
  }
  EXPECT_LE(steps, 8);
}

}  // namespace
}  // namespace perch::task
