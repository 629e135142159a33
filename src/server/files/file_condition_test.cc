#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

constexpr std::string_view kTime = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr std::string_view kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";

class FileConditionTest : public FileCacheTest {
 protected:
  FileConditionTest() {
    write_file(directory_ / "small", "hello");
    write_file(directory_ / "large", std::string(100'000, 'x'));
  }
};

TEST_F(FileConditionTest, NotModifiedHasTheEntityTagAlone) {
  for (const char* target : {"/small", "/large"}) {
    const std::string etag = field_of(ask(target), "etag");
    for (Method method : {Method::kGet, Method::kHead}) {
      http::Response response = ask(target, method, {{"if-none-match", etag}});
      EXPECT_EQ(shown_head(response), "304 etag=" + etag);
      EXPECT_TRUE(std::holds_alternative<std::monostate>(response.body()));
      EXPECT_EQ(status(target, method, {{"if-modified-since", kTime}}), 304);
    }
    EXPECT_EQ(status(target, Method::kGet, {{"if-none-match", "W/" + etag}}), 304);
    EXPECT_EQ(status(target, Method::kGet, {{"if-none-match", "*"}}), 304);
    EXPECT_EQ(status(target, Method::kGet, {{"if-none-match", "\"x\""}}), 200);
    EXPECT_EQ(status(target, Method::kGet, {{"if-modified-since", kBefore}}), 200);
    EXPECT_EQ(
        status(target, Method::kGet, {{"if-none-match", "\"x\""}, {"if-modified-since", kTime}}),
        200);
  }
}

TEST_F(FileConditionTest, AFailedPreconditionIs412) {
  const std::string etag = field_of(ask("/small"), "etag");
  http::Response response = ask("/small", Method::kGet, {{"if-match", "\"x\""}});
  EXPECT_EQ(shown_head(response), "412 content-type=text/plain; charset=utf-8; content-length=24");
  EXPECT_EQ(body_of(response), "412 Precondition Failed\n");
  http::Response head = ask("/small", Method::kHead, {{"if-unmodified-since", kBefore}});
  EXPECT_EQ(shown_head(head), shown_head(response));
  EXPECT_EQ(body_of(head), "");
  EXPECT_EQ(status("/small", Method::kGet, {{"if-match", "W/" + etag}}), 412);
  EXPECT_EQ(status("/small", Method::kGet, {{"if-match", etag}}), 200);
  EXPECT_EQ(status("/small", Method::kGet, {{"if-match", "*"}}), 200);
  EXPECT_EQ(status("/small", Method::kGet, {{"if-unmodified-since", kTime}}), 200);
  EXPECT_EQ(status("/small", Method::kGet, {{"if-match", etag}, {"if-none-match", etag}}), 304);
}

TEST_F(FileConditionTest, WhatIsNotThereHasNoConditions) {
  std::filesystem::create_directories(directory_ / "d");
  EXPECT_EQ(status("/missing", Method::kGet, {{"if-match", "*"}}), 404);
  EXPECT_EQ(status("/d", Method::kGet, {{"if-none-match", "*"}}), 301);
}

TEST_F(FileConditionTest, ANewStateHasANewTag) {
  const std::string old = field_of(ask("/small"), "etag");
  write_file(directory_ / "small", "other", kFileTime + 1);
  pass(std::chrono::seconds(1));
  EXPECT_EQ(status("/small", Method::kGet, {{"if-none-match", old}}), 200);
  EXPECT_EQ(status("/small", Method::kGet, {{"if-match", old}}), 412);
}

}  // namespace
}  // namespace perch::server
