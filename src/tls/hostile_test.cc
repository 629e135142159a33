// Clients that do not play by the rules: each ends in the right alert, at a bounded cost.
#include <algorithm>

#include <gtest/gtest.h>

#include "tls/record.h"
#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using State = Connection::State;
using testing::ClientOptions;
using testing::localhost_context;
using testing::Pair;
using ByteVector = std::vector<std::byte>;

ByteVector record(int type, std::size_t length, std::string_view payload = {}, int major = 3) {
  ByteVector bytes(kRecordHeaderBytes + payload.size());
  bytes[0] = std::byte(type);
  bytes[1] = std::byte(major);
  bytes[2] = std::byte{3};
  bytes[3] = std::byte(length >> 8);
  bytes[4] = std::byte(length & 0xff);
  std::ranges::copy(as_bytes(payload), bytes.begin() + kRecordHeaderBytes);
  return bytes;
}

ByteVector alert_record(Alert alert) {
  return {std::byte{21}, std::byte{3}, std::byte{3},    std::byte{0},
          std::byte{2},  std::byte{2}, std::byte(alert)};
}

void expect_failure(const Pair& pair, Alert alert) {
  ASSERT_EQ(pair.server.state(), State::kFailed);
  EXPECT_EQ(pair.server.failure()->alert, alert)
      << to_string(pair.server.failure()->alert) << ": " << pair.server.failure()->reason;
  EXPECT_FALSE(pair.server.failure()->by_peer);
  EXPECT_EQ(pair.server.held_bytes(), 0U);
}

TEST(FirstBytes, HttpInClearIsRecognised) {
  for (const std::string_view text :
       {"GET / HTTP/1.1\r\n\r\n", "HEAD / HTTP/1.1\r\n\r\n", "POST /x HTTP/1.1\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "OPTIONS * HTTP/1.1\r\n\r\n", "GET http://x/"}) {
    EXPECT_TRUE(looks_like_http(as_bytes(text)));
    for (const std::size_t piece : {std::size_t{1}, text.size()}) {
      Pair pair(localhost_context());
      pair.deliver(as_bytes(text), piece);
      expect_failure(pair, Alert::kUnexpectedMessage);
      EXPECT_TRUE(pair.server.failure()->in_clear);
      EXPECT_TRUE(pair.to_client.empty()) << "so that an answer in clear can be sent";
    }
  }
  EXPECT_FALSE(looks_like_http(as_bytes("GET ")));
  EXPECT_FALSE(looks_like_http(as_bytes("\x16\x03\x01\x02\x03\x01")));
}

TEST(FirstBytes, OtherThingsGetAnAlert) {
  for (const std::string_view text :
       {std::string_view("SSH-2.0-OpenSSH\r\n"), std::string_view("\0\0\0\0\0\0\0\0", 8),
        std::string_view("\x80\x2e\x01\x03\x03\x00\x15\x00\x00", 9),  // SSL 2
        std::string_view("\x17\x03\x03\x00\x01x", 6)}) {
    Pair pair(localhost_context());
    pair.deliver(as_bytes(text));
    if (pair.server.state() == State::kHandshaking) {
      // A length was promised.
      pair.deliver(ByteVector(kMaxCiphertextBytes));
    }
    expect_failure(pair, Alert::kUnexpectedMessage);
    EXPECT_FALSE(pair.server.failure()->in_clear);
    EXPECT_EQ(pair.to_client, alert_record(Alert::kUnexpectedMessage));
  }
}

TEST(FirstBytes, AHandshakeRecordOfAnotherVersionGetsAnAlertAtOnce) {
  Pair pair(localhost_context());
  pair.deliver(record(22, 100, {}, 9));
  expect_failure(pair, Alert::kProtocolVersion);
}

TEST(FirstBytes, AMalformedHelloIsADecodeError) {
  Pair pair(localhost_context());
  pair.deliver(record(22, 8, std::string_view("\x01\0\0\x04garb", 8)));
  expect_failure(pair, Alert::kDecodeError);
  EXPECT_EQ(pair.to_client.back(), std::byte(Alert::kDecodeError));
}

TEST(FirstBytes, AHelloLargerThanARecordIsRefusedByItsLength) {
  Pair pair(localhost_context());
  pair.deliver(record(22, 4, std::string_view("\x01\x7f\xff\xff", 4)));
  expect_failure(pair, Alert::kIllegalParameter);
}

TEST(Records, ALengthThatNoneMayHaveIsRefusedByTheHeaderAlone) {
  for (const std::size_t length : {kMaxCiphertextBytes + 1, std::size_t{0xffff}}) {
    Pair pair(localhost_context());
    pair.deliver(record(22, length), 1);
    expect_failure(pair, Alert::kRecordOverflow);
  }
}

TEST(Records, TooLongForThePlaintextIsAnOverflow) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Pair pair(localhost_context(), {.max_version = version});
    pair.exchange();
    const std::size_t length = kMaxPlaintextBytes + 1000;
    pair.deliver(record(23, length, std::string(length, 'x')), 4000);
    expect_failure(pair, Alert::kRecordOverflow);
  }
}

TEST(Records, NoMoreThanOneIsEverHeld) {
  Pair pair(localhost_context());
  pair.exchange();
  pair.deliver(record(23, kMaxPlaintextBytes + 256, std::string(kMaxPlaintextBytes, 'x')), 100);
  EXPECT_EQ(pair.server.state(), State::kOpen);
  EXPECT_LE(pair.server.held_bytes(), kRecordHeaderBytes + kMaxCiphertextBytes);
}

TEST(Records, ForgedOnesAreABadMac) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Pair pair(localhost_context(), {.max_version = version});
    pair.exchange();
    pair.client.send("genuine");
    auto bytes = pair.client.take_output();
    bytes.back() ^= std::byte{1};
    pair.deliver(bytes);
    expect_failure(pair, Alert::kBadRecordMac);
    EXPECT_EQ(pair.received, "");
    pair.client.receive(pair.to_client);
    EXPECT_EQ(pair.client.alert_received(), Alert::kBadRecordMac);
  }
}

TEST(Records, ReplayedOnesAreABadMac) {
  Pair pair(localhost_context());
  pair.exchange();
  pair.client.send("once");
  const auto bytes = pair.client.take_output();
  pair.deliver(bytes);
  pair.deliver(bytes);
  expect_failure(pair, Alert::kBadRecordMac);
  EXPECT_EQ(pair.received, "once");
}

TEST(Records, InClearAfterTheHandshakeAreUnexpected) {
  Pair pair(localhost_context());
  pair.exchange();
  pair.deliver(record(22, 4, std::string_view("\x01\0\0\0", 4)));
  expect_failure(pair, Alert::kUnexpectedMessage);
}

TEST(Records, ChangeCipherSpecAfterTheHandshakeIsUnexpected) {
  Pair pair(localhost_context());
  pair.exchange();
  for (int i = 0; i < 40 && pair.server.state() == State::kOpen; ++i) {
    pair.deliver(record(20, 1, "\x01"));
  }
  expect_failure(pair, Alert::kUnexpectedMessage);
}

TEST(Floods, EmptyRecordsDuringTheHandshake) {
  Pair pair(localhost_context());
  int sent = 0;
  while (pair.server.state() == State::kHandshaking && sent < 100) {
    pair.deliver(record(22, 0));
    ++sent;
  }
  EXPECT_LE(sent, 33);
  expect_failure(pair, Alert::kUnexpectedMessage);
}

TEST(Floods, ChangeCipherSpecDuringTheHandshake) {
  Pair pair(localhost_context());
  pair.deliver(pair.client.take_output());
  int sent = 0;
  while (pair.server.state() == State::kHandshaking && sent < 100) {
    pair.deliver(record(20, 1, "\x01"));
    ++sent;
  }
  EXPECT_LE(sent, 33);
  expect_failure(pair, Alert::kUnexpectedMessage);
}

TEST(Floods, KeyUpdatesWithoutData) {
  Pair pair(localhost_context());
  pair.exchange();
  ByteVector flood;
  for (int i = 0; i < 1000; ++i) {
    pair.client.update_key(true);
    const auto bytes = pair.client.take_output();
    flood.insert(flood.end(), bytes.begin(), bytes.end());
  }
  pair.deliver(flood);
  expect_failure(pair, Alert::kUnexpectedMessage);
  EXPECT_LE(pair.to_client.size(), 40U * 40U);
}

TEST(Floods, KeyUpdatesOneByOne) {
  Pair pair(localhost_context());
  pair.exchange();
  int updates = 0;
  while (pair.server.state() == State::kOpen && updates < 100) {
    pair.client.update_key(false);
    pair.deliver(pair.client.take_output());
    ++updates;
  }
  EXPECT_EQ(updates, 33);
}

TEST(Renegotiation, IsRefusedAndTheConnectionGoesOn) {
  Pair pair(localhost_context(), {.max_version = TLS1_2_VERSION});
  pair.exchange();
  pair.client.renegotiate();
  pair.deliver(pair.client.take_output());
  EXPECT_EQ(pair.server.state(), State::kOpen);
  ASSERT_FALSE(pair.to_client.empty());
  pair.client.receive(pair.to_client);
  EXPECT_EQ(pair.client.alert_received(), Alert::kNoRenegotiation);
}

}  // namespace
}  // namespace perch::tls
