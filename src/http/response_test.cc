#include "perch/http/response.h"

#include <gtest/gtest.h>

namespace perch::http {
namespace {

TEST(Response, TextCopiesAndNamesItsType) {
  Response response = Response::text("hello", 201);
  EXPECT_EQ(response.status(), 201);
  EXPECT_EQ(response.fields().size(), 1u);
  EXPECT_EQ(response.fields().get("content-type"), "text/plain; charset=utf-8");
  EXPECT_EQ(std::get<Bytes>(response.body()).view(), "hello");
  EXPECT_EQ(response.prepared(), nullptr);
}

TEST(Response, BytesShare) {
  const Bytes body = Bytes::copy("{}");
  Response response = Response::bytes(body, "application/json");
  EXPECT_EQ(response.status(), 200);
  EXPECT_EQ(std::get<Bytes>(response.body()).data(), body.data());
}

TEST(Response, ErrorIsAShortPage) {
  Response plain = Response::error(404);
  EXPECT_EQ(plain.status(), 404);
  EXPECT_EQ(std::get<Bytes>(plain.body()).view(), "404 Not Found\n");
  Response detailed = Response::error(400, "no such field");
  EXPECT_EQ(std::get<Bytes>(detailed.body()).view(), "400 Bad Request: no such field\n");
  Response unnamed = Response::error(599);
  EXPECT_EQ(std::get<Bytes>(unnamed.body()).view(), "599\n");
}

TEST(Response, WithAddsFields) {
  Response response = Response(204).with("allow", "GET").with("vary", "accept");
  EXPECT_EQ(response.fields()[0].name, "allow");
  EXPECT_EQ(response.fields()[1].value, "accept");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(response.body()));
}

TEST(Response, StreamKeepsItsProducer) {
  Response response = Response::stream([](BodyWriter) -> task::Task<void> { co_return; }, "a/b");
  EXPECT_EQ(response.fields().get("content-type"), "a/b");
  EXPECT_TRUE(std::holds_alternative<BodyProducer>(response.body()));
}

TEST(PreparedHead, IdsAreNeverTheSame) {
  const auto first = std::make_shared<PreparedHead>(304, Fields());
  const auto second = std::make_shared<PreparedHead>(304, Fields());
  EXPECT_NE(first->id(), 0u);
  EXPECT_LT(first->id(), second->id());
  const Response response(first, Bytes());
  EXPECT_EQ(response.status(), 304);
  EXPECT_EQ(response.prepared(), first.get());
}

TEST(ReasonPhrase, OfKnownAndUnknownCodes) {
  EXPECT_EQ(reason_phrase(200), "OK");
  EXPECT_EQ(reason_phrase(413), "Content Too Large");
  EXPECT_EQ(reason_phrase(511), "Network Authentication Required");
  for (int unknown : {0, 99, 299, 418, 499, 600, -1}) EXPECT_EQ(reason_phrase(unknown), "");
}

}  // namespace
}  // namespace perch::http
