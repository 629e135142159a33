// Parking: what forbids it, and that it is never seen.
#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/wire.h"
#include "perch/base/bytes.h"

namespace perch::http1 {
namespace {

using testing::Delivery;
using testing::get;
using testing::post;
using testing::Wire;

TEST(Park, BetweenRequestsOnly) {
  const auto can_park = [](std::string_view input) {
    Wire wire;
    wire.send(input);
    return wire.session().can_park();
  };
  EXPECT_TRUE(can_park(""));
  EXPECT_TRUE(can_park("\r\n"));
  EXPECT_TRUE(can_park(get()));
  EXPECT_TRUE(can_park(get() + "\r\n"));
  EXPECT_FALSE(can_park("\r"));
  EXPECT_FALSE(can_park("G"));
  EXPECT_FALSE(can_park(get() + "G"));
  EXPECT_FALSE(can_park(get({}, "/hold")));
  EXPECT_FALSE(can_park(post("Content-Length: 5\r\n", "")));
  EXPECT_FALSE(can_park(post("Content-Length: 5\r\n", "", "/early")));
  EXPECT_FALSE(can_park(get("Connection: close\r\n")));
}

TEST(Park, NotWithOutputOrAfterTheEnd) {
  testing::ScriptedOwner owner;
  const SessionOptions options;
  Session session(options, owner, Instant(0));
  owner.set_session(&session);
  session.receive(as_bytes(get()), Instant(0));
  EXPECT_FALSE(session.can_park());
  http::OutputQueue out;
  session.produce(out, 1 << 20, {testing::kDate, 1});
  EXPECT_TRUE(session.can_park());
  session.receive_end();
  EXPECT_FALSE(session.can_park());
}

TEST(Park, AnEmptyLineIsNotForgotten) {
  Wire wire(Delivery::kParked);
  wire.send("\r\n");
  EXPECT_EQ(wire.times_parked(), 1);
  wire.send("\r\n");
  EXPECT_EQ(wire.summary(), "=> 400 closed");
}

TEST(Park, IsNotSeenOnTheWire) {
  std::string input;
  for (int i = 0; i < 20; ++i) {
    input += get({}, "/head/" + std::to_string(i));
    input += "\r\n" + post("Content-Length: 5\r\n", "hello");
    input += testing::chunked("5\r\nhello\r\n0\r\nX: y\r\n\r\n");
  }
  Wire active(Delivery::kByteByByte);
  active.send(input);
  Wire parked(Delivery::kParked);
  parked.send(input);
  EXPECT_EQ(parked.times_parked(), 80);
  EXPECT_EQ(parked.wire(), active.wire());
  EXPECT_EQ(parked.responses().size(), 60U);
}

TEST(Park, RestoresNothingButItsOwnRecords) {
  testing::ScriptedOwner owner;
  const SessionOptions options;
  for (int bits = 0; bits < 256; ++bits) {
    const std::byte record[] = {static_cast<std::byte>(bits)};
    EXPECT_EQ(Session::restore(record, options, owner, Instant(0)) != nullptr, bits < 4);
  }
  EXPECT_EQ(Session::restore({}, options, owner, Instant(0)), nullptr);
  const std::byte longer[2] = {};
  EXPECT_EQ(Session::restore(longer, options, owner, Instant(0)), nullptr);
}

}  // namespace
}  // namespace perch::http1
