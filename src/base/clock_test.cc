#include "perch/base/clock.h"

#include <gtest/gtest.h>

namespace perch {
namespace {

using namespace std::chrono_literals;

TEST(Instant, NeverGoesBack) {
  const Instant first = Instant::now();
  const Instant second = Instant::now();
  EXPECT_GT(first.nanoseconds(), 0);
  EXPECT_LE(first, second);
}

TEST(Instant, DifferencesAreDurations) {
  const Instant start(5'000'000);
  EXPECT_EQ(((start + 3ms) - start), 3ms);
  EXPECT_EQ((start - 2ms).milliseconds(), 3);
}

TEST(Deadline, PassesAtItsInstantAndNotBefore) {
  const Deadline deadline = Deadline::at(Instant(100));
  EXPECT_FALSE(deadline.passed(Instant(99)));
  EXPECT_TRUE(deadline.passed(Instant(100)));
}

TEST(Deadline, NeverIsLaterThanAnyOther) {
  EXPECT_TRUE(Deadline::never().is_never());
  EXPECT_FALSE(Deadline::after(24h).is_never());
  EXPECT_LT(Deadline::after(24h), Deadline::never());
}

}  // namespace
}  // namespace perch
