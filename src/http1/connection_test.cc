// How long a connection lasts, and in which order things happen on it.
#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/wire.h"

namespace perch::http1 {
namespace {

using testing::Case;
using testing::check_cases;
using testing::Delivery;
using testing::get;
using testing::kDeliveries;
using testing::pattern;
using testing::post;
using testing::repeat;
using testing::Wire;

TEST(Connection, KeepAlive) {
  const auto old = [](std::string_view lines) {
    return std::string("GET / HTTP/1.0\r\n").append(lines).append("\r\n");
  };
  const std::vector<Case> cases = {
      {"HTTP/1.1 goes on", get() + get(), "GET /, GET / => 200 200 open"},
      {"HTTP/1.1 closes when asked", get("Connection: close\r\n") + get(), "GET / => 200 closed"},
      {"in a list", get("Connection: x, Close\r\n") + get(), "GET / => 200 closed"},
      {"in a second line", get("Connection: x\r\nConnection: close\r\n") + get(),
       "GET / => 200 closed"},
      {"close wins", get("Connection: keep-alive, close\r\n") + get(), "GET / => 200 closed"},
      {"another word does nothing", get("Connection: closed\r\n") + get(),
       "GET /, GET / => 200 200 open"},
      {"HTTP/1.0 closes", old("") + get(), "GET / => 200 closed"},
      {"HTTP/1.0 goes on when asked", old("Connection: Keep-Alive\r\n") + get(),
       "GET /, GET / => 200 200 open"},
      {"HTTP/1.0, close wins", old("Connection: keep-alive, close\r\n") + get(),
       "GET / => 200 closed"},
      {"the handler closes", get({}, "/close") + get(), "GET /close => 200 closed"},
      {"a body of a close-delimited response",
       "GET /stream/3000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get(),
       "GET /stream/3000 => 200 closed"},
      {"the length is known", "GET /sized/3000 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get(),
       "GET /sized/3000, GET / => 200 200 open"},
      {"an error", get() + "GET\r\n" + get(), "GET / => 200 400 closed"},
  };
  check_cases(cases);
}

TEST(Connection, SaysThatItCloses) {
  Wire wire;
  wire.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + get() +
            get("Connection: close\r\n"));
  const auto responses = wire.responses();
  ASSERT_EQ(responses.size(), 3U);
  EXPECT_EQ(responses[0].field("connection"), "keep-alive");
  EXPECT_EQ(responses[1].field("connection"), "");
  EXPECT_EQ(responses[2].field("connection"), "close");
}

TEST(Connection, AnswersFiftyPipelinedRequestsInOrder) {
  std::string input;
  for (int i = 0; i < 50; ++i) {
    input += i % 3 == 0 ? post("Content-Length: 2\r\n", std::to_string(10 + i))
                        : get({}, "/stream/" + std::to_string(i));
  }
  for (const Delivery delivery : kDeliveries) {
    Wire wire(delivery);
    wire.send(input);
    const auto responses = wire.responses();
    ASSERT_EQ(responses.size(), 50U) << to_string(delivery);
    for (std::size_t i = 0; i < 50; ++i) {
      EXPECT_EQ(responses[i].body, i % 3 == 0 ? std::to_string(10 + i) : pattern(i));
    }
    EXPECT_EQ(wire.violation(), "");
    EXPECT_TRUE(wire.session().can_park());
  }
}

TEST(Connection, TakesNothingOfTheNextRequestWhileOneIsOpen) {
  Wire wire;
  wire.send(get({}, "/hold") + get());
  EXPECT_EQ(wire.summary(), "GET /hold => waiting");
  EXPECT_EQ(wire.unread(), get().size());
  EXPECT_FALSE(wire.session().wants_input());
  EXPECT_FALSE(wire.session().can_park());
  wire.owner.respond(http::Response::text("late"));
  wire.exchange();
  EXPECT_EQ(wire.summary(), "GET /hold, GET / => 200 200 open");
}

TEST(Connection, HalfClosedClientsAreAnswered) {
  Wire wire;
  wire.send(get() + get({}, "/hold") + get());
  wire.session().receive_end();
  EXPECT_FALSE(wire.session().finished());
  wire.owner.respond(http::Response::text("late"));
  wire.exchange();
  EXPECT_EQ(wire.summary(), "GET /, GET /hold, GET / => 200 200 200 closed");
  EXPECT_FALSE(wire.session().failed());
  EXPECT_EQ(wire.responses()[2].field("connection"), "close");
}

TEST(Connection, EndsWithItsInput) {
  const auto after = [](std::string_view input) {
    Wire wire;
    wire.send(input);
    wire.session().receive_end();
    wire.exchange();
    return wire.summary();
  };
  EXPECT_EQ(after(""), "=> closed");
  EXPECT_EQ(after(get()), "GET / => 200 closed");
  EXPECT_EQ(after("GET / HT"), "=> closed");
  EXPECT_EQ(after(post("Content-Length: 5\r\n", "hell")), "POST /echo=hell~ => closed");
  EXPECT_EQ(after(testing::chunked("5\r\nhello\r\n0\r\n")), "POST /echo=hello~ => closed");
}

TEST(Connection, ShutsDown) {
  Wire idle;
  idle.session().shutdown();
  EXPECT_TRUE(idle.session().finished());
  EXPECT_FALSE(idle.session().failed());

  Wire busy;
  busy.send(get({}, "/hold"));
  busy.session().shutdown();
  EXPECT_FALSE(busy.session().finished());
  busy.owner.respond(http::Response::text("last"));
  busy.exchange();
  busy.send(get());
  EXPECT_EQ(busy.summary(), "GET /hold => 200 closed");
  EXPECT_EQ(busy.responses()[0].field("connection"), "close");

  Wire uploading;
  uploading.send(post("Content-Length: 5\r\n", "he"));
  uploading.session().shutdown();
  uploading.send("llo");
  EXPECT_EQ(uploading.summary(), "POST /echo=hello => 200 closed");

  Wire begun;
  begun.send("GET / HT");
  begun.session().shutdown();
  EXPECT_EQ(begun.summary(), "=> closed");
}

TEST(Connection, AnnouncesItsEndWithTheNextResponse) {
  for (const Delivery delivery : {Delivery::kWhole, Delivery::kParked}) {
    Wire wire(delivery);
    wire.send(get());
    wire.session().announce_shutdown();
    EXPECT_EQ(wire.park(), true);
    EXPECT_FALSE(wire.session().finished());
    wire.send(get() + get());
    EXPECT_EQ(wire.summary(), "GET /, GET / => 200 200 closed");
    EXPECT_EQ(wire.responses()[1].field("connection"), "close");
  }
}

// --- deadlines

TEST(Connection, AHeadMustBeCompleteInTime) {
  using std::chrono::milliseconds;
  Wire wire;
  wire.send(get());
  wire.pass(milliseconds(20'000));
  wire.session().check_deadlines(wire.now);
  EXPECT_FALSE(wire.session().finished());
  wire.send("G");
  for (int i = 0; i < 9; ++i) {
    wire.pass(milliseconds(1'000));
    wire.send("E");
    wire.session().check_deadlines(wire.now);
  }
  wire.pass(milliseconds(999));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.summary(), "GET / => 200 waiting");
  wire.pass(milliseconds(1));
  wire.session().check_deadlines(wire.now);
  wire.exchange();
  EXPECT_EQ(wire.summary(), "GET / => 200 408 closed");
  EXPECT_EQ(wire.session().failure(), "request head not complete in time");
}

TEST(Connection, ABodyMustComeAtSomeRate) {
  using std::chrono::seconds;
  Wire wire;
  wire.send(post("Content-Length: 100000\r\n", ""));
  for (int i = 0; i < 2; ++i) {
    wire.send(pattern(30 * 1024));
    wire.pass(seconds(30));
    wire.session().check_deadlines(wire.now);
    EXPECT_FALSE(wire.session().finished());
  }
  wire.send(pattern(30 * 1024 - 1));
  wire.pass(seconds(30));
  wire.session().check_deadlines(wire.now);
  wire.exchange();
  EXPECT_TRUE(wire.summary().ends_with("! => 408 closed"));
}

TEST(Connection, ABodyThatTheHandlerDoesNotTakeIsNotLate) {
  Wire wire;
  wire.owner.consume_at_once = false;
  wire.send(post("Content-Length: 100000\r\n", pattern(70'000)));
  for (int i = 0; i < 10; ++i) {
    wire.pass(std::chrono::seconds(30));
    wire.session().check_deadlines(wire.now);
  }
  EXPECT_FALSE(wire.session().finished());
}

TEST(Connection, NobodyOwesABodyThatWasNotAskedFor) {
  Wire wire;
  wire.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n", "", "/hold"));
  wire.pass(std::chrono::seconds(300));
  wire.session().check_deadlines(wire.now);
  EXPECT_FALSE(wire.session().finished());
}

TEST(Connection, TimesOutAsItsOwnerFinds) {
  Wire idle;
  idle.session().fail_timeout("idle");
  EXPECT_EQ(idle.summary(), "=> closed");
  EXPECT_FALSE(idle.session().failed());

  Wire uploading;
  uploading.send(post("Content-Length: 5\r\n", "he"));
  uploading.session().fail_timeout("slow");
  uploading.exchange();
  EXPECT_EQ(uploading.summary(), "POST /echo=he! => 408 closed");
  EXPECT_EQ(uploading.session().failure(), "slow");

  Wire waiting;
  waiting.send(get({}, "/hold"));
  waiting.session().fail_timeout("not the client's fault");
  EXPECT_EQ(waiting.summary(), "GET /hold => waiting");
}

}  // namespace
}  // namespace perch::http1
