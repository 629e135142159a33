// The session against a server that is scripted byte by byte.
#include "perch-load/http1_session.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch-load/request_blocks.h"
#include "perch/base/bytes.h"

namespace perch::load {
namespace {

// FNV-1a of "hello".
const Answer kHello = {.status = 200, .body_bytes = 5, .body_hash = 0xa430d84680aabd0b};

class Http1SessionTest : public testing::Test {
 protected:
  void request() {
    std::vector<std::byte> out;
    session.request("GET / HTTP/1.1\r\n\r\n", out);
    EXPECT_EQ(as_text(out), "GET / HTTP/1.1\r\n\r\n");
  }
  // One request, answered by `text`, which comes in pieces of `piece` bytes.
  std::optional<Answer> answered(std::string_view text, std::size_t piece = SIZE_MAX) {
    request();
    for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
      session.receive(as_bytes(text.substr(0, piece)));
    }
    return session.take_answer();
  }
  std::string_view failure_of(std::string_view text) {
    session = {};
    const auto answer = answered(text);
    EXPECT_TRUE(session.broken()) << text;
    return answer ? answer->failure : "no answer";
  }

  Http1Session session;
};

TEST(RequestText, IsTheFieldsOfAGet) {
  EXPECT_EQ(request_text(request_fields(FieldSet::kBare, "localhost:80", "/x?y")),
            "GET /x?y HTTP/1.1\r\nHost: localhost:80\r\nuser-agent: perch-load/0.1.0\r\n"
            "accept: */*\r\n\r\n");
}

TEST_F(Http1SessionTest, GivesStatusAndBodyOfTheAnswerAndStaysOpen) {
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"), kHello);
  EXPECT_FALSE(session.waiting());
  EXPECT_EQ(session.ending(), "");
  EXPECT_EQ(session.held_bytes(), 0U);
  EXPECT_EQ(session.take_answer(), std::nullopt);
}

TEST_F(Http1SessionTest, TakesBytesCutAnywhere) {
  for (const std::string_view text :
       {"HTTP/1.1 200\r\ncontent-length:5 \r\nx: y\r\n\r\nhello",
        "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n"
        "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nhe\r\n3\r\nllo\r\n0\r\nsum: 1\r\n\r\n"}) {
    for (const std::size_t piece : {1U, 2U, 7U, 1000U}) {
      EXPECT_EQ(answered(text, piece), kHello) << text;
      EXPECT_FALSE(session.waiting());
      EXPECT_EQ(session.ending(), "");
    }
  }
}

TEST_F(Http1SessionTest, AnswersWithoutABodyEndWithTheirFields) {
  EXPECT_EQ(answered("HTTP/1.1 204 No Content\r\n\r\n"), (Answer{.status = 204}));
  EXPECT_EQ(answered("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
            (Answer{.status = 304}));
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), (Answer{.status = 200}));
  EXPECT_EQ(session.ending(), "");
}

TEST_F(Http1SessionTest, BodyWithoutALengthEndsWithTheConnection) {
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\n\r\nhello"), std::nullopt);
  session.receive_end();
  EXPECT_EQ(session.take_answer(), kHello);
  EXPECT_EQ(session.ending(), "Connection: close");
}

TEST_F(Http1SessionTest, ConnectionCloseAndHttp10TakeNoFurtherRequest) {
  for (const std::string_view text :
       {"HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello"}) {
    session = {};
    EXPECT_EQ(answered(text), kHello);
    EXPECT_EQ(session.ending(), "Connection: close");
    EXPECT_FALSE(session.broken());
  }
  session = {};
  EXPECT_EQ(answered("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 5\r\n\r\nhello"),
            kHello);
  EXPECT_EQ(session.ending(), "");
}

TEST_F(Http1SessionTest, EndIsNoticedWhileIdleAndWithinAnAnswer) {
  session.receive_end();
  EXPECT_EQ(session.ending(), "closed");
  session = {};
  EXPECT_EQ(answered("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel"), std::nullopt);
  session.receive_end();
  EXPECT_EQ(session.take_answer(), std::nullopt);
  EXPECT_EQ(session.ending(), "closed in the middle of an answer");
}

TEST_F(Http1SessionTest, BytesWithoutARequestBreakIt) {
  session.receive(as_bytes("HTTP/1.1 408 Request Timeout\r\n\r\n"));
  EXPECT_EQ(session.ending(), "an unasked-for 408");
  session = {};
  answered("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!");
  EXPECT_EQ(session.ending(), "bytes without a request");
  EXPECT_TRUE(session.broken());
}

TEST_F(Http1SessionTest, SaysWhatIsMalformed) {
  EXPECT_EQ(failure_of("SSH-2.0-OpenSSH_9.2\r\n"), "the server does not speak HTTP/1.1");
  EXPECT_EQ(failure_of("HTTP/1.1 20 OK\r\n"), "the server does not speak HTTP/1.1");
  EXPECT_EQ(failure_of("HTTP/1.1 2000\r\n"), "the server does not speak HTTP/1.1");
  EXPECT_EQ(failure_of("HTTP/1.1 200 OK\r\nx\r\n"), "a field without its colon");
  EXPECT_EQ(failure_of("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n"), "a malformed Content-Length");
  EXPECT_EQ(failure_of("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n"),
            "a malformed Content-Length");
  EXPECT_EQ(failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n"),
            "an unknown Transfer-Encoding");
  constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(failure_of(std::string(kChunked) + "x\r\n"), "a malformed chunk size");
  EXPECT_EQ(failure_of(std::string(kChunked) + "1\r\nab\r\n"), "a chunk longer than its size");
  EXPECT_EQ(
      failure_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n"),
      "both Content-Length and Transfer-Encoding");
  EXPECT_EQ(failure_of("HTTP/1.1 200 " + std::string(1024 * 1024, 'x')),
            "more than 1 MiB of fields");
}

}  // namespace
}  // namespace perch::load
