// How sessions end, and what their owners hear of it.
#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::post;
using testing::Wire;

TEST(SessionShutdown, GoesInTwoStepsAndServesWhatRaces) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/hold"));
  wire.exchange();
  wire.session().announce_shutdown();
  wire.session().announce_shutdown();  // once is enough
  EXPECT_EQ(wire.answer(), "GOAWAY 2147483647 NO_ERROR");
  wire.client.request(3);  // had not seen it
  EXPECT_EQ(wire.answer(), "HEADERS 3 200; DATA 3 13 END_STREAM");
  wire.session().shutdown();
  wire.session().shutdown();
  EXPECT_EQ(wire.answer(), "GOAWAY 3 NO_ERROR");
  EXPECT_FALSE(wire.session().finished());
  wire.owner.respond(1, http::Response::text("last"));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 4 END_STREAM");
  EXPECT_TRUE(wire.session().finished());
  EXPECT_FALSE(wire.session().failed());
  EXPECT_FALSE(wire.session().can_park());
}

TEST(SessionShutdown, IgnoresRequestsBeyondTheLastWhole) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/hold"));
  wire.exchange();
  wire.session().shutdown();
  EXPECT_EQ(wire.answer(), "GOAWAY 1 NO_ERROR");
  wire.client.request(3, post("/echo", {{"x-late", "indexed"}}), false);
  wire.client.data(3, "body of a request that is not served");
  wire.client.window_update(3, 5);
  wire.client.trailers(3, {{"x-trailer", "t"}});
  wire.client.reset(3);
  wire.client.request(5);
  wire.client.ping();
  EXPECT_EQ(wire.answer(), "PING ACK 2a");
  EXPECT_FALSE(wire.owner.knows(3));
  wire.owner.respond(1, http::Response::text("last"));
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 4 END_STREAM");
  EXPECT_TRUE(wire.session().finished());
}

TEST(SessionShutdown, ANoticeSurvivesParking) {
  Wire wire(testing::Delivery::kParked);
  wire.handshake();
  wire.session().announce_shutdown();
  EXPECT_EQ(wire.answer(), "GOAWAY 2147483647 NO_ERROR");
  EXPECT_EQ(wire.times_parked(), 2);
  wire.session().announce_shutdown();
  EXPECT_EQ(wire.answer(), "");
  wire.session().shutdown();
  EXPECT_EQ(wire.answer(), "GOAWAY 0 NO_ERROR");
  EXPECT_TRUE(wire.session().finished());
}

TEST(SessionShutdown, ThePeersGoawayFinishesOnceItsStreamsAreServed) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/hold"));
  wire.client.frames().goaway(0, ErrorCode::kNoError);
  wire.exchange();
  EXPECT_FALSE(wire.session().finished());
  wire.owner.respond(1, http::Response(204));
  EXPECT_FALSE(wire.session().finished());
  EXPECT_EQ(wire.answer(), "HEADERS 1 204 END_STREAM");
  EXPECT_TRUE(wire.session().finished());
  EXPECT_FALSE(wire.session().can_park());
}

TEST(SessionFailure, ClosesEveryStreamOnce) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 5}});
  wire.client.request(1, get("/hold"));
  wire.client.request(3, get("/"));
  wire.client.request(5, post("/echo"), false);
  wire.client.request(7, get("/stream/5000"));
  wire.exchange();
  wire.client.request(9, get("/"));
  wire.deliver();
  wire.session().fail(ErrorCode::kInternalError, "a test says so");
  wire.session().fail(ErrorCode::kCancel, "and again");
  EXPECT_EQ(wire.session().failure(), "a test says so");
  for (const StreamId id : {1u, 3u, 5u, 7u, 9u}) {
    EXPECT_EQ(wire.owner.request(id).closed, 1) << id;
    EXPECT_EQ(wire.owner.request(id).reason, ErrorCode::kInternalError);
  }
  wire.client.forget_received();
  EXPECT_EQ(wire.answer(), "GOAWAY 9 INTERNAL_ERROR");
  EXPECT_TRUE(wire.session().finished());
  EXPECT_EQ(wire.violation(), "");
}

TEST(SessionFailure, DestroyingASessionRaisesNothing) {
  testing::ScriptedOwner owner;
  {
    Wire wire;
    wire.handshake();
    wire.client.request(1, get("/stream/100000"));
    wire.client.request(3, get("/hold"));
    wire.exchange();
  }
  EXPECT_EQ(owner.violation(), "");
}

TEST(SessionEarlyResponse, LetsInWhatWasUnderWay) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, post("/early"), false);
  EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 13 END_STREAM");
  EXPECT_EQ(wire.owner.request(1).closed, 0);
  wire.client.data(1, "the rest", true);
  EXPECT_EQ(wire.answer(), "");
  EXPECT_EQ(wire.owner.request(1).closed, 1);
  EXPECT_EQ(wire.owner.request(1).reason, ErrorCode::kNoError);
  EXPECT_EQ(wire.owner.request(1).body, "");
}

TEST(SessionEarlyResponse, StopsARequestThatGoesOnByTimeOrBySize) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, post("/early"), false);
  wire.client.request(3, post("/early"), false);
  wire.answer();
  wire.client.data(3, testing::pattern(16'384));
  wire.client.data(3, testing::pattern(16'384));
  EXPECT_EQ(wire.answer(), "");
  wire.client.data(3, "more than half a window");
  EXPECT_EQ(wire.answer(), "RST_STREAM 3 NO_ERROR");
  wire.pass(std::chrono::seconds(5));
  wire.session().check_deadlines(wire.now);
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 NO_ERROR");
  for (const StreamId id : {1u, 3u}) {
    EXPECT_EQ(wire.owner.request(id).closed, 1);
    EXPECT_EQ(wire.owner.request(id).reason, ErrorCode::kNoError);
    wire.client.data(id, "late", true);
  }
  EXPECT_EQ(wire.answer(), "");
}

TEST(SessionEarlyResponse, IsWholeAlsoWhenTheClientCancelsTheRest) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, post("/early"), false);
  wire.answer();
  wire.client.reset(1);
  EXPECT_EQ(wire.answer(), "");
  EXPECT_EQ(wire.owner.request(1).reason, ErrorCode::kNoError);
}

TEST(SessionEarlyResponse, WithoutContentToAHeadOrA304) {
  Wire wire;
  wire.handshake();
  auto fields = get("/stream/50");
  fields[0].second = "HEAD";
  wire.client.request(1, fields);
  EXPECT_EQ(wire.answer(), "HEADERS 1 200 END_STREAM");
}

TEST(SessionResponse, DeclaresItsLengthAlsoToHead) {
  Wire wire;
  wire.handshake();
  auto fields = get("/");
  fields[0].second = "HEAD";
  wire.client.request(1, fields);
  wire.client.request(3, get("/bytes/5"));
  wire.client.request(5, get("/status/304"));
  wire.client.request(7, get("/stream/5"));
  std::map<StreamId, std::string> lengths;
  for (const auto& frame : wire.take()) {
    if (frame.header.type == FrameType::kHeaders) {
      lengths[frame.header.stream_id] = frame.field("content-length");
      EXPECT_EQ(frame.field("date"), testing::kDate);
      EXPECT_EQ(frame.field("server"), "perch");
    }
  }
  EXPECT_EQ(lengths[1], "13");
  EXPECT_EQ(lengths[3], "5");
  EXPECT_EQ(lengths[5], "");
  EXPECT_EQ(lengths[7], "");
}

}  // namespace
}  // namespace perch::http2
