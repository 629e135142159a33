// Bodies of requests: windows, early responses, 100-continue.
#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/wire.h"

namespace perch::http1 {
namespace {

using testing::Case;
using testing::check_cases;
using testing::chunked;
using testing::Delivery;
using testing::get;
using testing::kDeliveries;
using testing::pattern;
using testing::post;
using testing::Wire;

std::string in_chunks(std::string_view body, std::size_t size) {
  std::string text;
  while (!body.empty()) {
    const std::string_view part = body.substr(0, size);
    char line[24];
    std::snprintf(line, sizeof(line), "%zx\r\n", part.size());
    text.append(line).append(part).append("\r\n");
    body.remove_prefix(part.size());
  }
  return text + "0\r\n\r\n";
}

TEST(RequestBody, ComesWhole) {
  for (const Delivery delivery : kDeliveries) {
    Wire wire(delivery);
    const std::string body = pattern(5'000);
    wire.send(post("Content-Length: 5000\r\n", body) + chunked(in_chunks(body, 700)) +
              post("Content-Length: 0\r\n", "") + chunked("0\r\n\r\n") + get());
    ASSERT_EQ(wire.owner.requests().size(), 5U) << to_string(delivery);
    EXPECT_EQ(wire.owner.requests()[0].body, body);
    EXPECT_EQ(wire.owner.requests()[1].body, body);
    EXPECT_EQ(wire.responses()[1].body, body);
    EXPECT_EQ(wire.owner.requests()[2].body, "");
    EXPECT_EQ(wire.owner.requests()[3].body, "");
    EXPECT_TRUE(wire.session().can_park());
    EXPECT_EQ(wire.violation(), "");
  }
}

TEST(RequestBody, IsTakenUpToAWindow) {
  for (const bool in_one : {true, false}) {
    Wire wire;
    wire.owner.consume_at_once = false;
    const std::string body = pattern(200'000);
    wire.send(in_one ? post("Content-Length: 200000\r\n", body) : chunked(in_chunks(body, 1000)));
    EXPECT_EQ(wire.owner.requests()[0].body.size(), 65'536U);
    EXPECT_FALSE(wire.session().wants_input());
    EXPECT_FALSE(wire.session().can_park());
    const std::size_t left = wire.unread();
    wire.exchange();
    EXPECT_EQ(wire.unread(), left);

    // Some bytes more are not worth a wake; a quarter of the window is.
    const int calls = wire.owner.output_ready_calls();
    wire.owner.consume(16'383);
    EXPECT_FALSE(wire.session().wants_input());
    EXPECT_EQ(wire.owner.output_ready_calls(), calls);
    wire.owner.consume(1);
    EXPECT_TRUE(wire.session().wants_input());
    EXPECT_EQ(wire.owner.output_ready_calls(), calls + 1);
    wire.exchange();
    EXPECT_EQ(wire.owner.requests()[0].body.size(), 65'536U + 16'384U);

    while (wire.owner.has_open()) {
      wire.owner.consume(wire.owner.requests()[0].held);
      wire.exchange();
    }
    EXPECT_EQ(wire.owner.requests()[0].body, body);
    EXPECT_EQ(wire.responses()[0].body, body);
  }
}

TEST(RequestBody, IsEchoedWhileItComes) {
  for (const Delivery delivery : kDeliveries) {
    Wire wire(delivery);
    const std::string body = pattern(30'000);
    wire.send("POST /relay HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunks = in_chunks(body, 999);
    wire.send(std::string_view(chunks).substr(0, 15'000));
    EXPECT_GT(wire.responses().at(0).body.size(), 14'000U);
    wire.send(std::string_view(chunks).substr(15'000));
    wire.send(get());
    ASSERT_EQ(wire.responses().size(), 2U) << to_string(delivery);
    EXPECT_EQ(wire.responses()[0].body, body);
    EXPECT_EQ(wire.violation(), "");
  }
}

TEST(RequestBody, AFullWindowIsKnownBeforeMoreComes) {
  Wire wire;
  wire.owner.consume_at_once = false;
  wire.send(post("Content-Length: 65537\r\n", pattern(65'536)));
  EXPECT_FALSE(wire.session().wants_input());
  const int calls = wire.owner.output_ready_calls();
  wire.owner.consume(65'536);
  EXPECT_TRUE(wire.session().wants_input());
  EXPECT_EQ(wire.owner.output_ready_calls(), calls + 1);
}

// --- responses that do not wait for the request

TEST(EarlyResponse, TheRestOfTheRequestIsPassedOver) {
  const std::vector<Case> cases = {
      {"length", post("Content-Length: 20\r\n", "GET / HTTP/1.1\r\n\r\n..", "/early") + get(),
       "POST /early, GET / => 200 200 open"},
      {"chunks",
       "POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n12\r\nGET / "
       "HTTP/1.1\r\n\r\n\r\n0\r\nX: y\r\n\r\n" +
           get(),
       "POST /early, GET / => 200 200 open"},
      {"malformed chunks",
       "POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n" + get(),
       "POST /early => 200 closed"},
  };
  for (const Case& row : cases) {
    // With the body behind the response, which is under way when the head has come.
    for (const Delivery delivery : {Delivery::kByteByByte, Delivery::kParked}) {
      SCOPED_TRACE(row.name);
      Wire wire(delivery);
      wire.send(row.input);
      std::string text = wire.summary();
      EXPECT_EQ(text, row.outcome);
      EXPECT_EQ(wire.violation(), "");
    }
  }
}

TEST(EarlyResponse, AnEndlessRestEndsTheConnection) {
  Wire wire;
  wire.send("POST /early HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string body = in_chunks(pattern(300'000), 3000);
  wire.send(std::string_view(body).substr(0, 200'000));
  EXPECT_EQ(wire.summary(), "POST /early => 200 waiting");
  wire.send(std::string_view(body).substr(200'000));
  wire.send(get());
  EXPECT_EQ(wire.summary(), "POST /early => 200 closed");
  EXPECT_FALSE(wire.session().failed());
}

TEST(EarlyResponse, ALongRestIsKnownBefore) {
  Wire wire;
  wire.send(post("Content-Length: 262145\r\n", "", "/early"));
  EXPECT_EQ(wire.summary(), "POST /early => 200 closed");
  EXPECT_EQ(wire.responses()[0].field("connection"), "close");
  Wire shorter;
  shorter.send(post("Content-Length: 262144\r\n", pattern(262'144), "/early") + get());
  EXPECT_TRUE(shorter.summary().ends_with("200 200 open"));
}

// --- 100-continue

TEST(Continue, OneInterimResponseThenTheFinalOne) {
  for (const Delivery delivery : kDeliveries) {
    Wire wire(delivery);
    wire.send(post("Content-Length: 2\r\nExpect: 100-continue\r\n", "", "/continue"));
    EXPECT_EQ(wire.wire(), "HTTP/1.1 100 Continue\r\n\r\n");
    wire.send("hi");
    EXPECT_EQ(wire.summary(), "POST /continue=hi => 100 200 open");
    EXPECT_EQ(wire.responses()[1].body, "hi");
  }
}

TEST(Continue, AFinalAnswerInsteadEndsTheConnection) {
  for (const Delivery delivery : kDeliveries) {
    Wire wire(delivery);
    wire.send(post("Content-Length: 2\r\nExpect: 100-continue\r\n", "", "/early"));
    wire.send("hi" + get());
    EXPECT_EQ(wire.summary(), "POST /early => 200 closed");
    EXPECT_EQ(wire.responses()[0].field("connection"), "close");
  }
}

TEST(Continue, IsNoConcernOfAClientThatDoesNotWait) {
  Wire wire(Delivery::kByteByByte);
  wire.send(post("Content-Length: 2\r\nExpect: 100-continue\r\n", "hi") + get());
  EXPECT_EQ(wire.summary(), "POST /echo=hi, GET / => 200 200 open");
}

TEST(Continue, OtherInterimResponses) {
  Wire wire;
  wire.send(get({}, "/hold"));
  wire.owner.inform(103);
  wire.exchange();
  wire.owner.respond(http::Response(204));
  wire.exchange();
  EXPECT_EQ(wire.summary(), "GET /hold => 103 204 open");
  Wire old;
  old.send("GET /hold HTTP/1.0\r\n\r\n");
  old.owner.inform(103);
  old.owner.respond(http::Response(204));
  old.exchange();
  EXPECT_EQ(old.summary(), "GET /hold => 204 closed");
}

}  // namespace
}  // namespace perch::http1
