#include "http2/request_builder.h"

#include <gtest/gtest.h>

#include "http2/testing/scripted_client.h"

namespace perch::http2 {
namespace {

using Outcome = RequestBuilder::Outcome;
using Kind = RequestBuilder::Kind;
using testing::FieldLines;
using testing::get;

Outcome build(RequestBuilder& builder, const FieldLines& fields, Kind kind = Kind::kRequest) {
  builder.begin(kind);
  for (const auto& [name, value] : fields) builder.on_field(name, value, false);
  return builder.finish();
}

TEST(RequestBuilder, FillsTheHead) {
  const SessionOptions options;
  RequestBuilder builder(options);
  ASSERT_EQ(build(builder, get("/a?b=c", {{"accept", "*/*"}, {"content-length", "7"}})),
            Outcome::kComplete);
  const auto head = builder.take_head();
  EXPECT_EQ(head->method, http::Method::kGet);
  EXPECT_EQ(head->scheme, "http");
  EXPECT_EQ(head->authority, "perch.test");
  EXPECT_EQ(head->target, "/a?b=c");
  EXPECT_EQ(head->fields.size(), 2u);
  EXPECT_EQ(head->fields.get("accept"), "*/*");
  EXPECT_EQ(head->content_length, 7u);
}

TEST(RequestBuilder, KeepsTheTextOfAnUnknownMethod) {
  const SessionOptions options;
  RequestBuilder builder(options);
  FieldLines fields = get();
  fields[0].second = "BREW";
  ASSERT_EQ(build(builder, fields), Outcome::kComplete);
  const auto head = builder.take_head();
  EXPECT_EQ(head->method, http::Method::kOther);
  EXPECT_EQ(head->method_text, "BREW");
}

TEST(RequestBuilder, JoinsCookieCrumbsBehindTheOtherFields) {
  const SessionOptions options;
  RequestBuilder builder(options);
  ASSERT_EQ(build(builder, get("/", {{"cookie", "a=1"}, {"x", "y"}, {"cookie", "b=2"}})),
            Outcome::kComplete);
  const auto head = builder.take_head();
  EXPECT_EQ(head->fields.size(), 2u);
  EXPECT_EQ(head->fields.get("cookie"), "a=1; b=2");
}

TEST(RequestBuilder, NothingIsLeftOfTheRequestBefore) {
  const SessionOptions options;
  RequestBuilder builder(options);
  ASSERT_EQ(
      build(builder, get("/", {{"cookie", "a=1"}, {"priority", "u=0, i"}, {"host", "perch.test"}})),
      Outcome::kComplete);  // its head is not taken
  ASSERT_EQ(build(builder, get("/second")), Outcome::kComplete);
  const auto head = builder.take_head();
  EXPECT_EQ(head->fields.size(), 0u);
  EXPECT_EQ(head->target, "/second");
  EXPECT_EQ(builder.urgency(), 3);
  EXPECT_FALSE(builder.incremental());
}

TEST(RequestBuilder, CountsFieldsAndBytesAgainstTheLimits) {
  SessionOptions options;
  options.header_fields = 2;
  options.header_bytes = 1000;
  RequestBuilder builder(options);
  EXPECT_EQ(build(builder, get("/", {{"a", "1"}, {"b", "2"}})), Outcome::kComplete);
  EXPECT_EQ(build(builder, get("/", {{"a", "1"}, {"b", "2"}, {"c", "3"}})), Outcome::kTooLarge);
  // What the four pseudo-fields are charged: 32 each and their text.
  std::size_t used = 0;
  for (const auto& [name, value] : get()) used += name.size() + value.size() + 32;
  const std::string fits(1000 - used - 33, 'v');
  EXPECT_EQ(build(builder, get("/", {{"a", fits}})), Outcome::kComplete);
  EXPECT_EQ(build(builder, get("/", {{"a", fits + "v"}})), Outcome::kTooLarge);
  EXPECT_FALSE(builder.hopeless());
  EXPECT_EQ(build(builder, get("/", {{"a", std::string(4000, 'v')}})), Outcome::kTooLarge);
  EXPECT_TRUE(builder.hopeless());
}

TEST(RequestBuilder, CountsCookieCrumbsApart) {
  const SessionOptions options;
  RequestBuilder builder(options);
  FieldLines fields = get();
  for (int i = 0; i < 250; ++i) fields.emplace_back("x", "y");
  for (int i = 0; i < 256; ++i) fields.emplace_back("cookie", "c");
  EXPECT_EQ(build(builder, fields), Outcome::kComplete);
  fields.emplace_back("cookie", "c");
  EXPECT_EQ(build(builder, fields), Outcome::kTooLarge);
}

TEST(RequestBuilder, TrailersAreFieldsAndNothingElse) {
  const SessionOptions options;
  RequestBuilder builder(options);
  ASSERT_EQ(build(builder, {{"x-checksum", "1"}}, Kind::kTrailers), Outcome::kComplete);
  EXPECT_EQ(builder.take_trailers().get("x-checksum"), "1");
  EXPECT_EQ(build(builder, {{":path", "/"}}, Kind::kTrailers), Outcome::kMalformed);
}

TEST(PriorityField, IsReadAsRfc9218Says) {
  const auto read = [](std::string_view text) {
    std::uint8_t urgency = 3;
    bool incremental = false;
    parse_priority_field(text, urgency, incremental);
    return std::pair(int{urgency}, incremental);
  };
  EXPECT_EQ(read(""), std::pair(3, false));
  EXPECT_EQ(read("u=0"), std::pair(0, false));
  EXPECT_EQ(read("u=7, i"), std::pair(7, true));
  EXPECT_EQ(read("i=?1,u=5"), std::pair(5, true));
  EXPECT_EQ(read("i, i=?0"), std::pair(3, false));
  EXPECT_EQ(read("u=1;x=y,\ti;z"), std::pair(1, true));
  EXPECT_EQ(read("u=8, u=-1, u=1.0, i=1"), std::pair(3, false));
}

}  // namespace
}  // namespace perch::http2
