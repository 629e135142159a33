#include "perch/base/error.h"

#include <cerrno>

#include <gtest/gtest.h>

namespace perch {
namespace {

TEST(Error, OfErrnoSaysWhichOperationFailedAndWhy) {
  const Error error = Error::from_errno(EADDRINUSE, "bind 127.0.0.1:80");
  EXPECT_EQ(error.code(), ErrorCode::kAddressInUse);
  EXPECT_EQ(error.message(), "bind 127.0.0.1:80: Address already in use");
  EXPECT_EQ(error.system_error(), EADDRINUSE);
  EXPECT_EQ(error.fault(), Fault::kCaller);
  EXPECT_EQ(error.scope(), Scope::kOperation);
}

TEST(Error, OfResetConnectionBlamesThePeerAndEndsTheConnection) {
  for (int system_error : {ECONNRESET, ECONNABORTED, EPIPE}) {
    const Error error = Error::from_errno(system_error, "write");
    EXPECT_EQ(error.code(), ErrorCode::kReset);
    EXPECT_EQ(error.fault(), Fault::kPeer);
    EXPECT_EQ(error.scope(), Scope::kConnection);
  }
}

TEST(Error, OfUnlistedErrnoKeepsTheNumber) {
  const Error error = Error::from_errno(EXDEV, "rename");
  EXPECT_EQ(error.code(), ErrorCode::kSystem);
  EXPECT_EQ(error.system_error(), EXDEV);
}

TEST(Error, WithoutErrnoHasSystemErrorZero) {
  EXPECT_EQ(Error::cancelled().system_error(), 0);
  EXPECT_EQ(Error::cancelled().code(), ErrorCode::kCancelled);
  EXPECT_EQ(Error::timed_out().message(), "timed out");
}

TEST(Error, EveryCodeHasItsOwnText) {
  EXPECT_EQ(to_string(ErrorCode::kCancelled), "cancelled");
  EXPECT_EQ(to_string(ErrorCode::kLimitExceeded), "limit exceeded");
  EXPECT_EQ(to_string(ErrorCode::kSystem), "system error");
}

}  // namespace
}  // namespace perch
