// Every limit of SessionOptions, attacked.
#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Delivery;
using testing::FieldLines;
using testing::get;
using testing::post;
using testing::Wire;

bool calmed(Wire& wire) { return wire.answer().ends_with("ENHANCE_YOUR_CALM"); }

TEST(SessionLimits, RapidResetsEndTheConnection) {
  for (const Delivery delivery : testing::kDeliveries) {
    Wire wire(delivery);
    wire.handshake();
    StreamId id = 1;
    for (int i = 0; i < 100; ++i, id += 2) {
      wire.client.request(id, get("/hold"));
      wire.client.reset(id);
      EXPECT_EQ(wire.answer(), "");
    }
    wire.client.request(id, get("/hold"));
    wire.client.reset(id);
    EXPECT_EQ(wire.answer(), "GOAWAY 201 ENHANCE_YOUR_CALM");
    if (delivery == Delivery::kParked) {
      EXPECT_EQ(wire.times_parked(), 101);
    }
  }
}

TEST(SessionLimits, ResetsThatThePeerProvokesCountTheSame) {
  Wire wire;
  wire.handshake();
  StreamId id = 1;
  for (int i = 0; i < 50; ++i, id += 4) {
    wire.client.request(id, get("/hold"));
    wire.client.reset(id);
    wire.client.request(id + 2, get("/hold"));
    wire.client.frames().window_update(id + 2, 0);
  }
  EXPECT_FALSE(calmed(wire));
  wire.client.request(id, get("/hold"));
  wire.client.frames().window_update(id, 0);
  EXPECT_TRUE(calmed(wire));
}

TEST(SessionLimits, ResetsOfRequestsThatNobodyWantsAreFree) {
  Wire wire;
  wire.handshake();
  StreamId id = 1;
  for (int i = 0; i < 300; ++i, id += 2) {
    wire.client.request(id, post("/early"), false);
    wire.exchange();
    wire.client.reset(id);
    ASSERT_FALSE(calmed(wire)) << i;
  }
}

TEST(SessionLimits, LatePriorityUpdatesAreFree) {
  Wire wire;
  wire.handshake();
  wire.client.request(1);
  wire.exchange();
  for (int i = 0; i < 300; ++i) wire.client.raw("000007 10 00 00000000 00000001 753d30");
  wire.client.ping();
  EXPECT_TRUE(wire.answer().ends_with("PING ACK 2a")) << wire.answer();
}

TEST(SessionLimits, ResetsAreForgivenWithTime) {
  for (const Delivery delivery : testing::kDeliveries) {
    Wire wire(delivery);
    wire.handshake();
    StreamId id = 1;
    for (int i = 0; i < 300; ++i, id += 2) {
      if (i % 100 == 0) wire.pass(seconds(10));
      wire.client.request(id, get("/hold"));
      wire.client.reset(id);
      ASSERT_EQ(wire.answer(), "") << i;
    }
  }
}

TEST(SessionLimits, AStreamAboveTheAnnouncedNumberIsRefusedWithItsBody) {
  SessionOptions options;
  options.max_concurrent_streams = 2;
  Wire wire(Delivery::kWhole, options);
  wire.handshake();
  wire.client.request(1, get("/hold"));
  wire.client.request(3, get("/hold"));
  wire.client.request(5, post("/hold"), false);
  wire.client.data(5, "was under way");
  EXPECT_EQ(wire.answer(), "RST_STREAM 5 REFUSED_STREAM");
  EXPECT_FALSE(wire.owner.knows(5));
}

TEST(SessionLimits, LingeringHandlersCountAsStreams) {
  SessionOptions options;
  options.max_concurrent_streams = 2;
  Wire wire(Delivery::kWhole, options);
  wire.handshake();
  wire.session().set_lingering_handlers(1);
  EXPECT_FALSE(wire.session().can_park());
  wire.client.request(1, get("/hold"));
  wire.client.request(3, get("/hold"));
  EXPECT_EQ(wire.answer(), "RST_STREAM 3 REFUSED_STREAM");
  wire.session().set_lingering_handlers(0);
  wire.client.request(5);
  EXPECT_EQ(wire.answer(), "HEADERS 5 200; DATA 5 13 END_STREAM");
}

TEST(SessionLimits, EightContinuationFramesPassAndNineDoNot) {
  for (const bool empty : {false, true}) {
    Wire wire;
    wire.handshake();
    const auto flood = [&](StreamId id, int frames) {
      wire.client.frames().headers(id, wire.client.block(get()), flags::kEndStream);
      for (int i = 1; i < frames; ++i) {
        wire.client.frames().continuation(
            id, wire.client.block(empty ? FieldLines() : FieldLines{{"a", "b"}}), false);
      }
      wire.client.frames().continuation(id, {}, true);
    };
    flood(1, 8);
    EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 13 END_STREAM");
    flood(3, 9);
    EXPECT_EQ(wire.answer(), "GOAWAY 1 ENHANCE_YOUR_CALM");
  }
}

// Each of these does nothing and costs the server a look.
TEST(SessionLimits, UselessFramesEndTheConnection) {
  void (*const kUseless[])(Wire&) = {
      [](Wire& w) { w.client.data(1, ""); },
      [](Wire& w) { w.client.frames().data(1, {}, false, 10); },
      [](Wire& w) { w.client.raw("000000 77 00 00000000"); },
      [](Wire& w) { w.client.frames().ping(1, true); },
      [](Wire& w) { w.client.settings_ack(); },
      [](Wire& w) { w.client.raw("000007 10 00 00000000 00000009 753d31"); },
  };
  for (const auto send : kUseless) {
    Wire wire;
    wire.handshake();
    wire.client.request(1, post("/hold"), false);
    for (int i = 0; i < 100; ++i) send(wire);
    EXPECT_FALSE(calmed(wire));
    wire.pass(milliseconds(9'999));
    send(wire);
    EXPECT_TRUE(calmed(wire));
  }
}

TEST(SessionLimits, WakesWithoutARequestCountAsUseless) {
  for (const Delivery delivery : {Delivery::kWhole, Delivery::kParked}) {
    Wire wire(delivery);
    wire.handshake();
    for (int i = 0; i < 100; ++i) {
      wire.client.ping(1);
      wire.session().note_useless_wake(wire.now);
      EXPECT_EQ(wire.answer(), "PING ACK 1");
    }
    wire.session().note_useless_wake(wire.now);
    EXPECT_TRUE(calmed(wire));
  }
}

TEST(SessionLimits, AnswersThatNobodyReadsAreBounded) {
  for (const char* frame : {"000008 06 00 00000000 0000000000000000", "000000 04 00 00000000"}) {
    Wire wire;
    wire.handshake();
    for (int i = 0; i < 1'000; ++i) wire.client.raw(frame);
    wire.deliver();
    EXPECT_FALSE(wire.session().failed());
    wire.client.raw(frame);
    wire.deliver();
    EXPECT_TRUE(wire.session().failed());
    EXPECT_TRUE(calmed(wire));
  }
}

TEST(SessionLimits, AnswersThatAreReadAreNot) {
  Wire wire;
  wire.handshake();
  for (int i = 0; i < 5'000; ++i) {
    wire.client.ping(1);
    if (i % 500 == 0) wire.exchange();
  }
  wire.exchange();
  EXPECT_FALSE(wire.session().failed());
}

TEST(SessionLimits, AnOwnersResetOnAFullQueueIsSafe) {
  SessionOptions options;
  options.queued_control_frames = 2;
  Wire wire(Delivery::kWhole, options);
  wire.handshake();
  wire.client.ping(1);
  wire.client.ping(2);
  wire.client.request(1, get("/refuse"));  // the third frame to write
  EXPECT_EQ(wire.answer(),
            "PING ACK 1; PING ACK 2; RST_STREAM 1 REFUSED_STREAM; "
            "GOAWAY 1 ENHANCE_YOUR_CALM");
  EXPECT_EQ(wire.owner.request(1).closed, 1);
}

// --- header sections

TEST(SessionLimits, ALargeHeaderSectionIsAnswered431AndKeptFromTheOwner) {
  Wire wire;
  wire.handshake();
  FieldLines fields = post("/echo");
  for (int i = 0; i < 5; ++i) fields.emplace_back("x-large", std::string(14'000, 'x'));
  wire.client.request(1, fields, false);
  wire.client.data(1, "body");
  wire.client.trailers(1, {{"x-test", "ok"}});
  EXPECT_EQ(wire.answer(), "HEADERS 1 431; DATA 1 36 END_STREAM");
  EXPECT_FALSE(wire.owner.knows(1));
  EXPECT_EQ(wire.violation(), "");
  wire.client.request(3);
  EXPECT_EQ(wire.answer(), "HEADERS 3 200; DATA 3 13 END_STREAM");
}

TEST(SessionLimits, TooManyFieldsAreAnswered431) {
  Wire wire;
  wire.handshake();
  FieldLines fields = get();
  for (int i = 0; i < 256; ++i) fields.emplace_back("x", "y");
  wire.client.request(1, fields);
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 13 END_STREAM");
  fields.emplace_back("x", "y");
  wire.client.request(3, fields);
  EXPECT_EQ(wire.answer(), "HEADERS 3 431; DATA 3 36 END_STREAM");
}

TEST(SessionLimits, NinetyCookieCrumbsPass) {
  Wire wire;
  wire.handshake();
  FieldLines fields = get();
  for (int i = 0; i < 90; ++i) {
    fields.emplace_back("cookie", "crumb" + std::to_string(i) + "=" + std::string(100, 'c'));
  }
  wire.client.request(1, fields);
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 13 END_STREAM");
  EXPECT_EQ(wire.owner.request(1).fields.size(), 1u);
}

TEST(SessionLimits, AHeaderBombIsCutShort) {
  // One field of 4,000 octets in the table, then an octet for each use of it.
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/", {{"x", std::string(4'000, 'x')}}));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 13 END_STREAM");
  const std::vector<std::byte> bomb(16'000, std::byte{0xbe});
  wire.client.frames().headers(3, bomb, flags::kEndStream);
  EXPECT_EQ(wire.answer(), "GOAWAY 1 ENHANCE_YOUR_CALM");
}

TEST(SessionLimits, ABombOnAClosedStreamIsCutShortToo) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, post("/refuse", {{"x", std::string(4'000, 'x')}}), false);
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 REFUSED_STREAM");
  const std::vector<std::byte> bomb(16'000, std::byte{0xbe});
  wire.client.frames().headers(1, bomb, flags::kEndStream);
  EXPECT_EQ(wire.answer(), "GOAWAY 1 ENHANCE_YOUR_CALM");
}

TEST(SessionLimits, LargeTrailersAreAStreamError) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  FieldLines fields;
  for (int i = 0; i < 5; ++i) fields.emplace_back("x-large", std::string(14'000, 'x'));
  wire.client.trailers(1, fields);
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 ENHANCE_YOUR_CALM");
}

// --- deadlines

TEST(SessionDeadlines, ThePrefaceMustCome) {
  Wire wire;
  wire.collect();
  wire.client.forget_received();
  wire.client.preface();
  wire.deliver();
  wire.pass(milliseconds(9'999));
  wire.session().check_deadlines(wire.now);
  EXPECT_FALSE(wire.session().failed());
  wire.pass(milliseconds(1));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "GOAWAY 0 PROTOCOL_ERROR");
}

TEST(SessionDeadlines, SettingsMustBeAcknowledged) {
  Wire wire;
  wire.client.preface();
  wire.client.settings();
  wire.client.request(1);
  wire.answer();
  EXPECT_FALSE(wire.session().can_park());
  wire.pass(milliseconds(9'999));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "");
  wire.pass(milliseconds(1));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "GOAWAY 1 SETTINGS_TIMEOUT");
}

TEST(SessionDeadlines, AHeaderBlockMustBeCompleted) {
  Wire wire;
  wire.handshake();
  wire.pass(seconds(100));
  wire.client.frames().headers(1, wire.client.block(get()), 0);
  EXPECT_EQ(wire.answer(), "");
  EXPECT_FALSE(wire.session().can_park());
  wire.pass(seconds(9));
  wire.client.frames().continuation(1, {}, false);  // does not buy time
  EXPECT_EQ(wire.answer(), "");
  wire.pass(seconds(1));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "GOAWAY 0 ENHANCE_YOUR_CALM");
}

TEST(SessionDeadlines, AreNoneForAnIdleConnection) {
  Wire wire;
  wire.handshake();
  wire.pass(std::chrono::hours(100));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "");
}

TEST(SessionLimits, ResetsOfResponsesUnderWayAreFree) {
  Wire wire;
  wire.handshake();
  wire.client.window_update(0, kLargestWindow - kDefaultWindow);
  for (StreamId id = 1; id < 1001; id += 2) {
    wire.client.request(id, get("/bytes/1000000"));
    wire.exchange();
    wire.client.reset(id);
  }
  EXPECT_FALSE(calmed(wire));
}

TEST(SessionLimits, ResetsOfPatientRequestsAreFree) {
  Wire wire;
  wire.handshake();
  StreamId id = 1;
  for (int round = 0; round < 3; ++round) {
    const StreamId first = id;
    for (int i = 0; i < 128; ++i, id += 2) wire.client.request(id, get("/hold"));
    wire.exchange();
    wire.pass(seconds(1));
    for (StreamId reset = first; reset < id; reset += 2) wire.client.reset(reset);
    EXPECT_FALSE(calmed(wire));
  }
}

TEST(SessionLimits, HeadsWithoutAResponseAreBoundedTogether) {
  Wire wire;
  wire.handshake();
  const FieldLines large = {{"x-large", std::string(16'000, 'x')}};
  StreamId id = 1;
  for (int i = 0; i < 64; ++i, id += 2) {
    wire.client.request(id, get("/hold", large));
    wire.exchange();
  }
  EXPECT_EQ(wire.answer(), "");
  wire.client.request(id, get("/hold", large));
  EXPECT_EQ(wire.answer(), "RST_STREAM " + std::to_string(id) + " REFUSED_STREAM");
  // What has its response is counted no more.
  wire.client.reset(1);
  wire.client.request(id + 2, get("/hold", large));
  EXPECT_EQ(wire.answer(), "");
}

TEST(SessionLimits, ManyWindowSizesInOneFrameAreOneChange) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/100"));
  wire.exchange();
  wire.take();
  std::vector<Setting> settings;
  for (std::uint32_t i = 0; i < 2'000; ++i) {
    settings.push_back({setting::kInitialWindowSize, i % 2 == 0 ? kLargestWindow : 50});
  }
  wire.client.settings(settings);
  const std::string answer = wire.answer();
  EXPECT_EQ(answer, "SETTINGS ACK; DATA 1 50");
  // One that is out of bounds is an error wherever it stands.
  settings[1'000].value = kLargestWindow + 1;
  wire.client.settings(settings);
  EXPECT_TRUE(wire.answer().ends_with("FLOW_CONTROL_ERROR"));
}

}  // namespace
}  // namespace perch::http2
