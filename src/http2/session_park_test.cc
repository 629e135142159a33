// Sessions as records: their size, what they keep, and that no client can tell.
#include <random>

#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using std::chrono::seconds;
using testing::Delivery;
using testing::FieldLines;
using testing::get;
using testing::post;
using testing::Wire;

// --- sizes: what a parked connection costs

std::size_t record_size(const FieldLines& fields) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, fields);
  wire.answer();
  wire.pass(seconds(60));
  EXPECT_TRUE(wire.park());
  return wire.last_record().size();
}

TEST(ParkedSize, OfAConnectionWithoutARequest) {
  Wire wire;
  wire.handshake();
  ASSERT_TRUE(wire.park());
  EXPECT_EQ(wire.last_record().size(), 2u);
}

TEST(ParkedSize, AfterAPlainGet) {
  EXPECT_EQ(record_size(get("/", {{"user-agent", "h2load nghttp2/1.52.0"}})), 35u);
}

TEST(ParkedSize, AfterABrowsersGet) {
  const FieldLines fields = get(
      "/articles/2026/11/idle-connections.html",
      {{"user-agent",
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
        "Safari/537.36"},
       {"accept",
        "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"},
       {"accept-encoding", "gzip, deflate, br, zstd"},
       {"accept-language", "en-GB,en;q=0.9"},
       {"cache-control", "no-cache"},
       {"sec-ch-ua", "\"Chromium\";v=\"131\", \"Not_A Brand\";v=\"24\""},
       {"sec-ch-ua-mobile", "?0"},
       {"sec-ch-ua-platform", "\"Linux\""},
       {"sec-fetch-dest", "document"},
       {"sec-fetch-mode", "navigate"},
       {"sec-fetch-site", "none"}});
  EXPECT_LE(record_size(fields), 450u);
  EXPECT_GE(record_size(fields), 300u);
}

// --- what is kept

TEST(ParkedSession, KeepsTheWindows) {
  for (const Delivery delivery : testing::kDeliveries) {
    SessionOptions options;
    options.connection_window_bytes = 65'535;
    Wire wire(delivery, options);
    wire.handshake();
    wire.client.window_update(0, 7);
    wire.client.request(1, get("/bytes/65000"));
    wire.exchange();
    wire.client.request(3, post(), false);
    wire.client.data(3, testing::pattern(16'000), true);
    wire.exchange();  // 65,535 + 7 - 65,000 are left: 542 of 16,000
    wire.client.window_update(0, 15'458);
    EXPECT_TRUE(wire.answer().ends_with("DATA 3 542; DATA 3 15458 END_STREAM"));
    wire.client.request(5, get("/bytes/10"));
    EXPECT_EQ(wire.answer(), "HEADERS 5 200");
    wire.client.window_update(0, 10);
    EXPECT_EQ(wire.answer(), "DATA 5 10 END_STREAM");
    wire.client.request(7, post("/hold"), false);
    wire.client.data(7, testing::pattern(16'384));  // 32,384 received, 32,767 is half
    EXPECT_EQ(wire.answer(), "");
    wire.client.data(7, testing::pattern(383));
    EXPECT_EQ(wire.answer(), "WINDOW_UPDATE 0 +32767");
    EXPECT_EQ(wire.violation(), "");
  }
}

TEST(ParkedSession, KeepsThePeersSettings) {
  for (const Delivery delivery : testing::kDeliveries) {
    Wire wire(delivery);
    wire.handshake({{setting::kInitialWindowSize, 3},
                    {setting::kMaxFrameSize, 20'000},
                    {setting::kHeaderTableSize, 100},
                    {setting::kMaxHeaderListSize, 1'000}});
    wire.client.request(1);
    EXPECT_EQ(wire.answer(), "HEADERS 1 200; DATA 1 3");
    wire.client.window_update(1, 10);
    EXPECT_EQ(wire.answer(), "DATA 1 10 END_STREAM");
    wire.client.request(3, get("/bytes/3"));
    EXPECT_EQ(wire.answer(), "HEADERS 3 200; DATA 3 3 END_STREAM");
    EXPECT_EQ(wire.violation(), "");
  }
}

TEST(ParkedSession, KeepsWhatIsKnownOfClosedStreams) {
  Wire wire(Delivery::kParked);
  wire.handshake();
  wire.client.request(1, post("/refuse"), false);
  EXPECT_EQ(wire.answer(), "RST_STREAM 1 REFUSED_STREAM");
  wire.client.data(1, "under way");
  wire.client.request(9);
  EXPECT_EQ(wire.answer(), "HEADERS 9 200; DATA 9 13 END_STREAM");
  wire.client.request(5);
  EXPECT_EQ(wire.answer(), "GOAWAY 9 PROTOCOL_ERROR");
  EXPECT_EQ(wire.times_parked(), 3);
}

TEST(ParkedSession, IsRefusedWhileAnythingIsUnderWay) {
  Wire wire;
  EXPECT_FALSE(wire.session().can_park());  // no preface
  wire.client.preface();
  wire.client.settings();
  wire.exchange();
  EXPECT_FALSE(wire.session().can_park());  // our SETTINGS not acknowledged
  wire.client.settings_ack();
  wire.exchange();
  EXPECT_TRUE(wire.session().can_park());
  wire.client.ping();
  wire.deliver();
  EXPECT_FALSE(wire.session().can_park());  // an answer to write
  wire.collect();
  wire.client.request(1, get("/hold"));
  wire.exchange();
  EXPECT_FALSE(wire.session().can_park());  // a stream
  wire.client.reset(1);
  wire.exchange();
  EXPECT_TRUE(wire.session().can_park());
  wire.client.settings({{setting::kHeaderTableSize, 50}});
  wire.exchange();
  EXPECT_FALSE(wire.session().can_park());  // a table size to signal
  wire.client.request(3);
  wire.exchange();
  EXPECT_TRUE(wire.session().can_park());
}

// --- malformed records

TEST(ParkedRecord, OfWrongShapeIsRefused) {
  Wire wire;
  wire.handshake({{setting::kInitialWindowSize, 100}});
  wire.client.request(1, get("/", {{"x", "y"}}));
  wire.client.window_update(1, 100);
  wire.client.request(9, post("/refuse"), false);
  wire.answer();
  std::vector<std::byte> record;
  ASSERT_TRUE(wire.session().can_park());
  wire.session().park(record, wire.now);
  const auto restored = [&](std::span<const std::byte> bytes) {
    return Session::restore(bytes, wire.options(), wire.owner, wire.now) != nullptr;
  };
  ASSERT_TRUE(restored(record));
  EXPECT_FALSE(restored({}));
  EXPECT_FALSE(restored(std::span(record).first(1)));
  auto broken = record;
  broken[0] |= std::byte{0x40};  // a part that there is not
  EXPECT_FALSE(restored(broken));
  for (const char* hex : {
           "00 02",                    // an even stream
           "00 80 80 80 80 08",        // a stream beyond 31 bits
           "00 80 80 80 80 80 00",     // a number of too many octets
           "00 01 00",                 // trailing octets without their bit
           "10 01",                    // the bit without the octets
           "01 01 80 80 80 80 08 00",  // a window beyond 2^31-1
           "02 01 00 00 ff 7f 00",     // MAX_FRAME_SIZE 16,383
           "08 09 0b 01 02",           // reset above the highest stream
           "08 09 01 05 03",           // a skipped run that runs backwards
           "04 01 00 00",              // budgets cut short
       }) {
    EXPECT_FALSE(restored(testing::from_hex(hex))) << hex;
  }
}

TEST(ParkedRecord, WhoseTableDoesNotDecodeFailsAtTheNextRequest) {
  testing::ScriptedOwner owner;
  const SessionOptions options;
  const auto session = Session::restore(testing::from_hex("10 01 ff"), options, owner, Instant(1));
  ASSERT_NE(session, nullptr);
  testing::ScriptedClient client;
  client.request(3);
  session->receive(client.take_output(), Instant(1));
  EXPECT_TRUE(session->failed());
}

// --- a client cannot tell

// A random client's life; the same seed gives the same.
std::string run(Delivery delivery, std::uint32_t seed, int* parked) {
  auto random = [engine = std::mt19937(seed)]() mutable {
    return static_cast<std::uint32_t>(engine());
  };
  SessionOptions options;
  if (seed % 5 == 0) options.max_concurrent_streams = 2;
  if (seed % 7 == 0) options.connection_window_bytes = 65'535;
  Wire wire(delivery, options);
  wire.produce_limit = seed % 3 == 0 ? 1 : 100'000;
  wire.handshake();
  constexpr const char* kPaths[] = {
      "/",           "/bytes/300", "/stream/2500", "/trailers/10", "/head/1", "/head/2", "/head/9",
      "/status/204", "/echo",      "/early",       "/interim",     "/fail",   "/refuse", "/hold"};
  std::string story;
  StreamId next = 1;
  for (int step = 0; step < 25 && !wire.session().failed(); ++step) {
    for (auto actions = random() % 3; actions > 0; --actions) {
      const StreamId some = next < 3 || random() % 50 == 0 ? random() % 20 : next - 2;
      switch (random() % 12) {
        case 0:
        case 1:
        case 2:
        case 3:
        case 4: {
          FieldLines fields = get(kPaths[random() % std::size(kPaths)]);
          if (random() % 4 == 0) fields[0].second = "HEAD";
          if (random() % 2 == 0) fields.emplace_back("x-" + std::to_string(random() % 30), "v");
          if (random() % 9 == 0) fields.emplace_back("connection", "close");
          wire.client.request(next, fields, random() % 4 != 0);
          next += random() % 10 == 0 ? 6 : 2;
          break;
        }
        case 5:
          wire.client.data(some, testing::pattern(random() % 9'000), random() % 2 == 0);
          break;
        case 6:
          wire.client.reset(some);
          break;
        case 7:
          if (some % 2 == 1 && some < next) wire.client.window_update(some, 1 + random() % 5'000);
          break;
        case 8:
          wire.client.window_update(0, 1 + random() % 50'000);
          break;
        case 9:
          wire.client.ping(random() % 100);
          break;
        case 10:
          if (random() % 3 == 0)
            wire.client.settings({{setting::kInitialWindowSize, random() % 70'000}});
          if (random() % 3 == 0)
            wire.client.settings({{setting::kHeaderTableSize, random() % 5'000}});
          break;
        default:
          wire.client.trailers(some, {{"x-trailer", "t"}});
      }
    }
    if (random() % 10 == 0) wire.pass(seconds(random() % 15));
    for (const auto& frame : wire.take()) {
      story += frame.describe();
      for (const auto& [name, value] : frame.fields) story += " " + name + "=" + value;
      story += "\n";
    }
  }
  if (parked != nullptr) *parked += wire.times_parked();
  EXPECT_EQ(wire.violation(), "") << "seed " << seed << ", " << to_string(delivery);
  return story + wire.owner.log();
}

TEST(ParkedSession, CannotBeToldFromOneThatNeverWas) {
  int parked = 0;
  for (std::uint32_t seed = 0; seed < 3'000; ++seed) {
    const std::string plain = run(Delivery::kWhole, seed, nullptr);
    ASSERT_EQ(run(Delivery::kParked, seed, &parked), plain) << "seed " << seed;
    if (seed % 10 == 0) {
      ASSERT_EQ(run(Delivery::kByteByByte, seed, nullptr), plain) << "seed " << seed;
    }
  }
  EXPECT_GT(parked, 10'000);
}

}  // namespace
}  // namespace perch::http2
