// Responses on the wire.
#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/wire.h"
#include "perch/base/bytes.h"

namespace perch::http1 {
namespace {

using testing::Delivery;
using testing::get;
using testing::kHello;
using testing::pattern;
using testing::PatternSource;
using testing::Wire;

std::string answer(std::string_view request) {
  Wire wire;
  wire.send(request);
  EXPECT_EQ(wire.violation(), "");
  return wire.wire();
}

std::string answer_with(http::Response response, std::string_view method = "GET") {
  Wire wire;
  wire.send(std::string(method).append(" /hold HTTP/1.1\r\nHost: a\r\n\r\n"));
  wire.owner.respond(std::move(response));
  wire.exchange();
  return wire.wire();
}

constexpr std::string_view kTail = "server: perch\r\ndate: Mon, 30 Nov 2026 12:00:00 GMT\r\n\r\n";

TEST(Response, Bytes) {
  EXPECT_EQ(answer(get()), "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 13\r\n" +
                               std::string(kTail) + "Hello, Perch\n");
}

TEST(Response, OfAnError) {
  EXPECT_EQ(answer("GET\r\n"),
            "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n" +
                std::string(kTail));
}

TEST(Response, HeadSaysWhatGetWouldAndHasNoBody) {
  EXPECT_EQ(answer("HEAD /bytes/50 HTTP/1.1\r\nHost: a\r\n\r\n"),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 50\r\n" +
                std::string(kTail));
  Wire wire(Delivery::kByteByByte);
  for (const std::string_view path : {"/stream/9", "/sized/9", "/trailers/9", "/head/1", "/fail"}) {
    wire.send(std::string("HEAD ").append(path).append(" HTTP/1.1\r\nHost: a\r\n\r\n") + get());
  }
  const auto responses = wire.responses();
  ASSERT_EQ(responses.size(), 10U);
  EXPECT_EQ(wire.violation(), "");
  EXPECT_EQ(responses[0].field("content-length"), "");
  EXPECT_EQ(responses[2].field("content-length"), "9");
  EXPECT_EQ(responses[6].field("content-length"), "13");
  for (std::size_t i = 1; i < 10; i += 2) EXPECT_EQ(responses[i].body, kHello);
}

TEST(Response, WithoutContent) {
  EXPECT_EQ(answer(get({}, "/status/204")), "HTTP/1.1 204 No Content\r\n" + std::string(kTail));
  EXPECT_EQ(answer(get({}, "/status/304")), "HTTP/1.1 304 Not Modified\r\n" + std::string(kTail));
  EXPECT_EQ(answer(get({}, "/status/500")),
            "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\n" + std::string(kTail));
  EXPECT_EQ(answer(get({}, "/status/299")),
            "HTTP/1.1 299 \r\ncontent-length: 0\r\n" + std::string(kTail));
  // RFC 9110 section 8.6: none for 204, that of GET for 304.
  http::Response empty = http::Response::text("body", 204);
  EXPECT_EQ(answer_with(std::move(empty).with("content-length", "4")),
            "HTTP/1.1 204 No Content\r\ncontent-type: text/plain; charset=utf-8\r\n" +
                std::string(kTail));
  EXPECT_EQ(answer_with(http::Response(304).with("content-length", "4")),
            "HTTP/1.1 304 Not Modified\r\ncontent-length: 4\r\n" + std::string(kTail));
}

TEST(Response, Streamed) {
  for (const std::size_t size : {0U, 1U, 1'000U, 1'001U, 100'000U}) {
    for (const std::string_view kind : {"/stream/", "/sized/", "/last/", "/trailers/", "/bytes/"}) {
      for (const std::size_t limit : {std::size_t{1}, std::size_t{777}, std::size_t{1} << 20}) {
        SCOPED_TRACE(std::string(kind) + std::to_string(size) + ", limit " + std::to_string(limit));
        Wire wire;
        wire.produce_limit = limit;
        wire.send(get({}, std::string(kind) + std::to_string(size)) + get());
        const auto responses = wire.responses();
        ASSERT_EQ(responses.size(), 2U);
        EXPECT_EQ(responses[0].body, pattern(size));
        const bool chunked = kind == "/stream/" || kind == "/last/" || kind == "/trailers/";
        EXPECT_EQ(responses[0].field("transfer-encoding"), chunked ? "chunked" : "");
        EXPECT_EQ(responses[0].trailers.size(), kind == "/trailers/" ? 1U : 0U);
        EXPECT_EQ(wire.violation(), "");
      }
    }
  }
}

TEST(Response, ChunksOnTheWire) {
  EXPECT_EQ(answer(get({}, "/trailers/26")),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n" +
                std::string(kTail) +
                "1a\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\nx-checksum: 26\r\n\r\n");
}

TEST(Response, IsDelimitedByTheEndForHttp10) {
  EXPECT_EQ(answer("GET /trailers/26 HTTP/1.0\r\n\r\n"),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\nconnection: close\r\n" +
                std::string(kTail) + "abcdefghijklmnopqrstuvwxyz");
}

TEST(Response, PreparedHeadsAreTheSameEachTime) {
  Wire wire;
  std::string first;
  for (int i = 0; i < 3; ++i) {
    const std::size_t before = wire.wire().size();
    for (int head = 0; head < 8; ++head) wire.send(get({}, "/head/" + std::to_string(head)));
    if (i == 0) first = wire.wire();
    EXPECT_EQ(wire.wire().substr(before), first);
  }
  EXPECT_EQ(wire.responses().size(), 24U);
  EXPECT_TRUE(first.starts_with(
      "HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: 13\r\n"
      "etag: \"e0\"\r\n" +
      std::string(kTail) + "Hello, Perch\n"));
}

TEST(Response, PreparedHeadsWithMoreFields) {
  http::Fields fields;
  fields.add("content-length", "13");
  const auto head = std::make_shared<const http::PreparedHead>(200, fields);
  http::Response response(head, Bytes::from_static(kHello));
  EXPECT_EQ(answer_with(std::move(response).with("x-more", "1")),
            "HTTP/1.1 200 OK\r\ncontent-length: 13\r\nx-more: 1\r\n" + std::string(kTail) +
                std::string(kHello));
}

TEST(Response, HandlersMaySetDateServerAndClose) {
  EXPECT_EQ(answer_with(http::Response::text("x")
                            .with("date", "D")
                            .with("server", "S")
                            .with("connection", "x, Close")
                            .with("keep-alive", "timeout=5")
                            .with("transfer-encoding", "chunked")
                            .with("upgrade", "h2c")),
            "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ndate: D\r\nserver: S\r\n"
            "content-length: 1\r\nconnection: close\r\n\r\nx");
}

TEST(Response, NamesNoServerWhereItShallNot) {
  Wire wire(Delivery::kWhole, {.server_name = ""});
  wire.send(get({}, "/status/204"));
  EXPECT_EQ(wire.wire(), "HTTP/1.1 204 No Content\r\ndate: Mon, 30 Nov 2026 12:00:00 GMT\r\n\r\n");
}

TEST(Response, ABodyThatFailsIsCut) {
  Wire wire;
  wire.send(get({}, "/fail") + get());
  EXPECT_EQ(wire.summary(), "GET /fail~ => 200... closed");
  EXPECT_TRUE(wire.session().failed());
  EXPECT_EQ(wire.session().counters().stream_errors, 1U);
  Wire declared;
  declared.send(get({}, "/short") + get());
  EXPECT_EQ(declared.summary(), "GET /short~ => 200... closed");
}

TEST(Response, NothingIsSentBehindTheDeclaredLength) {
  Wire wire;
  wire.send(get({}, "/hold") + get());
  http::Response response(200);
  response.set_body(std::make_unique<PatternSource>(100, PatternSource::Options{}));
  wire.owner.respond(std::move(response).with("content-length", "26"));
  wire.exchange();
  EXPECT_EQ(wire.summary(), "GET /hold, GET / => 200 200 open");
  EXPECT_EQ(wire.responses()[0].body, pattern(26));
}

// What a handler must not give: an assertion where there are some, else a 500 in its place.
void expect_refused(http::Response response) {
#ifdef NDEBUG
  EXPECT_EQ(answer_with(std::move(response)),
            "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n" +
                std::string(kTail));
#else
  EXPECT_DEATH(answer_with(std::move(response)), "facts.valid");
#endif
}

TEST(ResponseDeathTest, SplitResponsesAreNotSent) {
  expect_refused(http::Response::text("x").with("location", "/\r\nset-cookie: a=b"));
  expect_refused(http::Response::text("x").with("location", "/\nx: y"));
  expect_refused(http::Response::text("x").with("location", "/\r"));
  expect_refused(http::Response::text("x").with("x\r\ny", "z"));
  expect_refused(http::Response::text("x").with("x:y", "z"));
  expect_refused(http::Response::text("x").with("", "z"));
}

TEST(ResponseDeathTest, WrongLengthsAreNotSent) {
  expect_refused(http::Response::text("x").with("content-length", "2"));
  expect_refused(http::Response::text("x").with("content-length", "0"));
  expect_refused(http::Response::text("x").with("content-length", "x"));
  expect_refused(http::Response::text("x").with("content-length", "1").with("content-length", "1"));
  http::Response sized(200);
  sized.set_body(std::make_unique<PatternSource>(5, PatternSource::Options{.tells_size = true}));
  expect_refused(std::move(sized).with("content-length", "6"));
}

}  // namespace
}  // namespace perch::http1
