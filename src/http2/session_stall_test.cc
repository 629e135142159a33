// Windows that stay closed, and those that only look like it.
#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using std::chrono::seconds;
using testing::get;
using testing::Wire;

bool calmed(Wire& wire) { return wire.answer().ends_with("ENHANCE_YOUR_CALM"); }

// Waits for `time`, with a look every second as the server takes it.
void wait(Wire& wire, Duration time) {
  for (Duration waited{0}; waited < time; waited += seconds(1)) {
    wire.pass(seconds(1));
    wire.session().check_deadlines(wire.now);
  }
}

TEST(SessionStall, AStreamsWindowMayNotStayClosed) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/100"));
  wire.client.request(3, get("/hold"));
  wire.exchange();
  wire.take();
  wait(wire, seconds(30));
  EXPECT_EQ(wire.answer(), "");
  wait(wire, seconds(2));
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 ENHANCE_YOUR_CALM");
  EXPECT_EQ(wire.session().open_streams(), 1u);
}

TEST(SessionStall, ADribbleIsAStall) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/100000"));
  wire.exchange();
  for (int second = 0; second < 40 && wire.session().open_streams() == 1; ++second) {
    wire.client.window_update(1, 900);
    wire.exchange();
    wait(wire, seconds(1));
  }
  EXPECT_TRUE(wire.answer().ends_with("RST_STREAM 1 ENHANCE_YOUR_CALM"));
}

TEST(SessionStall, ASlowReaderIsServed) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/200000"));
  wire.exchange();
  for (int second = 0; second < 181; ++second) {
    wire.client.window_update(1, 1'110);
    wire.exchange();
    wait(wire, seconds(1));
  }
  EXPECT_EQ(wire.session().open_streams(), 0u);
  EXPECT_EQ(wire.violation(), "");
  EXPECT_EQ(wire.answer().find("RST_STREAM"), std::string::npos);
}

// Many stalled streams at a time end together; and beyond the budget of resets, the connection.
TEST(SessionStall, ManyStalledStreamsEndTogether) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  for (StreamId id = 1; id < 201; id += 2) wire.client.request(id, get("/bytes/100"));
  wire.exchange();
  wait(wire, seconds(32));
  EXPECT_EQ(wire.session().open_streams(), 0u);
  EXPECT_FALSE(wire.session().failed());
}

TEST(SessionStall, TheConnectionsWindowMayNotStayClosed) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, kLargestWindow}});
  for (StreamId id = 1; id < 21; id += 2) wire.client.request(id, get("/bytes/100000"));
  wire.exchange();
  // What the first window let through pays for two periods of 30 KiB.
  wait(wire, seconds(90));
  EXPECT_FALSE(wire.session().failed());
  wait(wire, seconds(3));
  EXPECT_TRUE(wire.session().failed());
  EXPECT_TRUE(calmed(wire));
}

// Streams that wait behind another one are not stalled by their client.
TEST(SessionStall, StreamsWaitForEachOtherAsLongAsItTakes) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, kLargestWindow}});
  for (StreamId id = 1; id < 21; id += 2) wire.client.request(id, get("/bytes/100000"));
  wire.exchange();
  for (int second = 0; second < 500; ++second) {
    wire.client.window_update(0, 2'000);
    wire.exchange();
    wait(wire, seconds(1));
  }
  EXPECT_EQ(wire.session().open_streams(), 0u);
  EXPECT_EQ(wire.answer().find("RST_STREAM"), std::string::npos);
}

// Clients open a window again when they have used half of it: one of 1 MiB, at 4 KiB/s, after two
// minutes of silence.
TEST(SessionStall, ALargeWindowMayStayClosedForLong) {
  Wire wire;
  constexpr std::uint32_t kWindow = 1 << 20;
  wire.handshake({{setting::kInitialWindowSize, kWindow}});
  wire.client.window_update(0, kLargestWindow - kDefaultWindow);
  wire.client.request(1, get("/bytes/3000000"));
  wire.exchange();
  for (int i = 0; i < 4; ++i) {
    wait(wire, seconds(128));
    wire.client.window_update(1, kWindow / 2);
    wire.exchange();
  }
  EXPECT_EQ(wire.session().open_streams(), 0u);
  EXPECT_EQ(wire.answer().find("RST_STREAM"), std::string::npos);
}

}  // namespace
}  // namespace perch::http2
