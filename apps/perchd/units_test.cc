#include "perchd/units.h"

#include <gtest/gtest.h>

namespace perch::perchd {
namespace {

using namespace std::chrono_literals;

TEST(Duration, TakesEveryUnitWithAndWithoutSpace) {
  EXPECT_EQ(parse_duration("500 ms"), Duration(500ms));
  EXPECT_EQ(parse_duration("30s"), Duration(30s));
  EXPECT_EQ(parse_duration("2 min"), Duration(2min));
  EXPECT_EQ(parse_duration("0 h"), Duration(0));
}

TEST(Duration, BeyondWhatNanosecondsHoldIsTooLarge) {
  EXPECT_EQ(parse_duration("2562047 h"), Duration(2'562'047h));
  EXPECT_EQ(parse_duration("2562048 h").error(), "is too large");
}

TEST(Duration, IsWrittenWithTheLargestWholeUnit) {
  EXPECT_EQ(format_duration(90s), "90 s");
  EXPECT_EQ(format_duration(120s), "2 min");
  EXPECT_EQ(format_duration(1500ms), "1500 ms");
  EXPECT_EQ(format_duration(0s), "0 ms");
}

TEST(Size, IsCountedInPowersOfTwo) {
  EXPECT_EQ(parse_size("16 MiB"), 16U << 20);
  EXPECT_EQ(parse_size("64KiB"), 64U << 10);
  EXPECT_EQ(parse_size("7 B"), 7U);
  EXPECT_EQ(format_size(64 << 10), "64 KiB");
  EXPECT_EQ(format_size(1000), "1000 B");
}

TEST(Guess, FindsWhatWasMeant) {
  constexpr std::string_view kKnown[] = {"listen", "workers", "parking"};
  EXPECT_EQ(closest("lisetn", kKnown), "listen");
  EXPECT_EQ(closest("worker", kKnown), "workers");
  EXPECT_EQ(closest("bakery", kKnown), "");
  EXPECT_EQ(closest("", kKnown), "");
}

}  // namespace
}  // namespace perch::perchd
