#include "perch/http/method.h"

#include <gtest/gtest.h>

namespace perch::http {
namespace {

TEST(Method, EachNameIsReadAndWritten) {
  for (const char* name :
       {"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}) {
    EXPECT_NE(parse_method(name), Method::kOther) << name;
    EXPECT_EQ(to_string(parse_method(name)), name);
  }
}

TEST(Method, OtherTokensAreOther) {
  for (const char* name : {"", "get", "Get", "GETS", "GE", "PROPFIND", "GET "}) {
    EXPECT_EQ(parse_method(name), Method::kOther) << name;
  }
  EXPECT_EQ(to_string(Method::kOther), "");
}

}  // namespace
}  // namespace perch::http
