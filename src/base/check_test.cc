#include "perch/base/check.h"

#include <gtest/gtest.h>

namespace perch {
namespace {

TEST(CheckDeathTest, BrokenInvariantNamesTheConditionAndAborts) {
  const int streams = -1;
  EXPECT_DEATH(PERCH_CHECK(streams >= 0), "check failed: streams >= 0 .*check_test.cc:[0-9]+");
}

TEST(Check, HoldingInvariantEvaluatesItsConditionOnce) {
  int evaluations = 0;
  PERCH_CHECK(++evaluations == 1);
  EXPECT_EQ(evaluations, 1);
}

}  // namespace
}  // namespace perch
