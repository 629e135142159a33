// Flow control both ways, and the order in which streams are served.
#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::pattern;
using testing::post;
using testing::ScriptedSource;
using testing::Wire;

// --- receiving

TEST(SessionReceiveWindow, IsOpenedInHalves) {
  Wire wire;
  wire.owner.consume_at_once = false;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  wire.client.data(1, pattern(16'384));
  wire.client.data(1, pattern(16'384));
  EXPECT_EQ(wire.answer(), "");
  wire.owner.consume(1, 32'766);
  EXPECT_EQ(wire.answer(), "");
  wire.owner.consume(1, 1);  // half of 65,535
  EXPECT_EQ(wire.answer(), "WINDOW_UPDATE 1 +32767");
  wire.owner.consume(1, 1);
  EXPECT_EQ(wire.answer(), "");
}

TEST(SessionReceiveWindow, OfTheConnectionIsOpenedByWhatClosedStreamsHeld) {
  SessionOptions options;
  options.connection_window_bytes = 65'535;
  Wire wire(testing::Delivery::kWhole, options);
  wire.owner.consume_at_once = false;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  wire.client.data(1, pattern(16'384));
  wire.client.data(1, pattern(16'383));
  EXPECT_EQ(wire.answer(), "");
  wire.client.reset(1);
  EXPECT_EQ(wire.answer(), "WINDOW_UPDATE 0 +32767");
}

TEST(SessionReceiveWindow, OfTheConnectionIsOpenedByDataOnClosedStreams) {
  SessionOptions options;
  options.connection_window_bytes = 65'535;
  Wire wire(testing::Delivery::kWhole, options);
  wire.handshake();
  wire.client.request(1, post("/refuse"), false);
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 REFUSED_STREAM");
  wire.client.data(1, pattern(16'384));
  wire.client.data(1, pattern(16'384));
  EXPECT_EQ(wire.answer(), "WINDOW_UPDATE 0 +32768");
}

TEST(SessionReceiveWindow, OfTheConnectionIsExact) {
  SessionOptions options;
  options.connection_window_bytes = 65'535;
  options.initial_window_bytes = 1'000'000;
  Wire wire(testing::Delivery::kWhole, options);
  wire.owner.consume_at_once = false;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  for (int i = 0; i < 3; ++i) wire.client.data(1, pattern(16'384));
  wire.client.data(1, pattern(16'383));
  EXPECT_EQ(wire.answer(), "");
  wire.client.data(1, "x");
  EXPECT_EQ(wire.answer(), "GOAWAY 1 FLOW_CONTROL_ERROR");
  EXPECT_EQ(wire.owner.request(1).closed, 1);
}

TEST(SessionReceiveWindow, CountsPaddingAndGivesItBack) {
  SessionOptions options;
  options.initial_window_bytes = 512;
  Wire wire(testing::Delivery::kWhole, options);
  wire.owner.consume_at_once = false;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  wire.client.frames().data(1, as_bytes("x"), false, 255);
  EXPECT_EQ(wire.answer(), "WINDOW_UPDATE 1 +256");
  EXPECT_EQ(wire.owner.request(1).held, 1u);
}

TEST(SessionReceiveWindow, SmallerThanTheDefaultBindsOnceItIsAcknowledged) {
  SessionOptions options;
  options.initial_window_bytes = 100;
  Wire wire(testing::Delivery::kWhole, options);
  wire.owner.consume_at_once = false;
  wire.client.preface();
  wire.client.settings();
  wire.client.request(1, post("/hold"), false);
  wire.client.data(1, pattern(5000));  // the client has not seen our SETTINGS yet
  wire.client.settings_ack();
  EXPECT_EQ(wire.answer(), "SETTINGS; WINDOW_UPDATE 0 +983041; SETTINGS ACK");
  wire.client.data(1, "x");
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 FLOW_CONTROL_ERROR");
  wire.client.request(3, post("/hold"), false);
  wire.client.data(3, pattern(100));
  EXPECT_EQ(wire.answer(), "");
  wire.client.data(3, "x");
  EXPECT_EQ(wire.answer(), "RST_STREAM 3 FLOW_CONTROL_ERROR");
}

TEST(SessionReceiveWindow, IsNotOpenedForARequestThatHasEnded) {
  Wire wire;
  wire.owner.consume_at_once = false;
  wire.handshake();
  wire.client.request(1, post("/hold"), false);
  for (int i = 0; i < 3; ++i) wire.client.data(1, pattern(16'384), i == 2);
  wire.deliver();
  wire.owner.consume(1, 3 * 16'384);
  EXPECT_EQ(wire.answer(), "");
}

// --- sending

TEST(SessionSendWindow, OfTheConnectionStopsAllStreams) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 1'000'000}});
  wire.client.request(1, get("/bytes/60000"));
  wire.client.request(3, get("/bytes/20000"));
  const std::string answer = wire.answer();
  EXPECT_TRUE(answer.ends_with("DATA 1 10848 END_STREAM; DATA 3 5535")) << answer;
  EXPECT_FALSE(wire.session().wants_output());
  wire.client.window_update(0, 1);
  EXPECT_EQ(wire.answer(), "DATA 3 1");
  wire.client.window_update(0, 20'000);
  EXPECT_EQ(wire.answer(), "DATA 3 14464 END_STREAM");
  EXPECT_EQ(wire.violation(), "");
}

TEST(SessionSendWindow, NegativeAfterSettingsIsFilledFirst) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 10}});
  wire.client.request(1);
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 10");
  wire.client.settings({{setting::kInitialWindowSize, 0}});  // the window is -10
  wire.client.window_update(1, 10);
  EXPECT_EQ(wire.answer(), "SETTINGS ACK");
  wire.client.window_update(1, 2);
  EXPECT_EQ(wire.answer(), "DATA 1 2");
  wire.client.settings({{setting::kInitialWindowSize, 1}});
  EXPECT_EQ(wire.answer(), "SETTINGS ACK; DATA 1 1 END_STREAM");
}

TEST(SessionSendWindow, EndOfAStreamedBodyNeedsNone) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 100}});
  auto control = std::make_shared<ScriptedSource::Control>();
  control->may_end = false;
  wire.client.request(1, get("/hold"));
  wire.deliver();
  http::Response response(200);
  response.set_body(std::make_unique<ScriptedSource>(100, control));
  wire.owner.respond(1, std::move(response));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 100");
  control->end();
  EXPECT_EQ(wire.answer(), "DATA 1 0 END_STREAM");
}

TEST(SessionSendWindow, EndOfAStreamedBodyNeedsNoneOfTheConnectionEither) {
  Wire wire;
  wire.handshake();
  auto control = std::make_shared<ScriptedSource::Control>();
  control->may_end = false;
  control->largest_piece = 100'000;
  wire.client.request(1, get("/hold"));
  wire.deliver();
  http::Response response(200);
  response.set_body(std::make_unique<ScriptedSource>(65'535, control));
  wire.owner.respond(1, std::move(response));
  wire.answer();
  EXPECT_EQ(control->given, 65'535u);
  control->end();
  EXPECT_EQ(wire.answer(), "DATA 1 0 END_STREAM");
}

TEST(SessionSendWindow, ABlockedSourceIsTakenUpWhenItsHookIsCalled) {
  Wire wire;
  wire.handshake();
  auto control = std::make_shared<ScriptedSource::Control>();
  control->released = 0;
  wire.client.request(1, get("/hold"));
  wire.deliver();
  http::Response response(200);
  response.set_body(std::make_unique<ScriptedSource>(20, control));
  wire.owner.respond(1, std::move(response));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200");
  const int calls = wire.owner.output_ready_calls();
  control->release(15);
  EXPECT_EQ(wire.owner.output_ready_calls(), calls + 1);
  EXPECT_EQ(wire.answer(), "DATA 1 15");
  wire.client.reset(1);
  wire.answer();
  EXPECT_TRUE(control->destroyed);
  EXPECT_EQ(control->hook, nullptr);
}

TEST(SessionSendWindow, ASourceThatFailsResetsItsStream) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/fail"));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 10; RST_STREAM 1 INTERNAL_ERROR");
  EXPECT_EQ(wire.owner.request(1).reason, ErrorCode::kInternalError);
}

// --- scheduling

std::string data_order(Wire& wire) {
  std::string order;
  for (const auto& frame : wire.take()) {
    if (frame.header.type == FrameType::kData) order += std::to_string(frame.header.stream_id);
  }
  return order;
}

TEST(SessionScheduling, ServesUrgentStreamsFirst) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/40000", {{"priority", "u=5"}}));
  wire.client.request(3, get("/bytes/20000", {{"priority", "u=1"}}));
  wire.client.request(5, get("/bytes/20000"));
  wire.exchange();
  wire.client.window_update(0, 1'000'000);
  wire.client.settings({{setting::kInitialWindowSize, 1'000'000}});
  EXPECT_EQ(data_order(wire), "3355111");
}

TEST(SessionScheduling, SharesAmongIncrementalStreamsInTurn) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  for (const StreamId id : {1u, 3u, 5u}) {
    wire.client.request(id, get("/bytes/40000", {{"priority", "i"}}));
  }
  wire.exchange();
  wire.client.window_update(0, 1'000'000);
  wire.client.settings({{setting::kInitialWindowSize, 1'000'000}});
  EXPECT_EQ(data_order(wire), "135135135");
}

TEST(SessionScheduling, ALargeBodyLetsOthersInAfterSixteenFrames) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/400000"));
  wire.client.request(3, get("/bytes/20000"));
  wire.exchange();
  wire.client.window_update(0, 1'000'000);
  wire.client.settings({{setting::kInitialWindowSize, 1'000'000}});
  EXPECT_EQ(data_order(wire), std::string(16, '1') + "33" + std::string(9, '1'));
}

TEST(SessionScheduling, FollowsPriorityUpdates) {
  Wire wire;
  wire.produce_limit = 1;
  wire.handshake({{setting::kInitialWindowSize, 0}});
  wire.client.request(1, get("/bytes/40000"));
  wire.client.request(3, get("/bytes/40000"));
  wire.exchange();
  wire.client.raw("000007 10 00 00000000 00000003 753d30");  // stream 3: u=0
  wire.client.window_update(0, 1'000'000);
  wire.client.settings({{setting::kInitialWindowSize, 1'000'000}});
  EXPECT_EQ(data_order(wire), "333111");
}

TEST(SessionScheduling, HundredStreamsAtOnceAreAllServedWhole) {
  Wire wire;
  wire.produce_limit = 20'000;
  wire.handshake({{setting::kInitialWindowSize, 1'000'000}});
  wire.client.window_update(0, kLargestWindow - kDefaultWindow);
  for (StreamId id = 1; id < 200; id += 2) {
    wire.client.request(id, get(id % 4 == 1 ? "/stream/30000" : "/bytes/30000",
                                {{"priority", id % 8 == 1 ? "i" : "u=2"}}));
  }
  std::map<StreamId, std::string> bodies;
  for (const auto& frame : wire.take()) {
    if (frame.header.type == FrameType::kData) bodies[frame.header.stream_id] += frame.text();
  }
  EXPECT_EQ(bodies.size(), 100u);
  for (const auto& [id, body] : bodies) EXPECT_EQ(body, pattern(30'000)) << id;
  EXPECT_EQ(wire.violation(), "");
  EXPECT_EQ(wire.session().open_streams(), 0u);
}

}  // namespace
}  // namespace perch::http2
