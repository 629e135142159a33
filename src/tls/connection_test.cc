// The handshake's outcomes and the life of a connection, with OpenSSL as the client.
#include "perch/tls/connection.h"

#include <gtest/gtest.h>

#include "tls/record.h"
#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using State = Connection::State;
using testing::ClientOptions;
using testing::localhost_context;
using testing::Pair;

ClientOptions client_of(int version) { return {.min_version = version, .max_version = version}; }

std::vector<std::byte> bytes_of(std::string_view text) {
  return {as_bytes(text).begin(), as_bytes(text).end()};
}

class EveryVersion : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Tls, EveryVersion, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) {
                           return version.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

TEST_P(EveryVersion, CarriesBytesBothWays) {
  ClientOptions options = client_of(GetParam());
  options.server_name = "LocalHost";
  options.alpn = {"http/1.1", "h2"};
  Pair pair(localhost_context(), options);
  EXPECT_EQ(pair.server.state(), State::kHandshaking);
  EXPECT_FALSE(pair.server.seal(as_bytes("too early"), pair.to_client));
  pair.exchange();
  ASSERT_EQ(pair.server.state(), State::kOpen);
  EXPECT_EQ(pair.server.version(),
            GetParam() == TLS1_2_VERSION ? Version::kTls12 : Version::kTls13);
  EXPECT_EQ(pair.server.alpn(), "h2");
  EXPECT_EQ(pair.server.server_name(), "localhost");
  EXPECT_FALSE(pair.server.resumed());
  EXPECT_EQ(pair.server.peer_subject(), "");
  EXPECT_TRUE(pair.server.certificate_covers("localhost:8443"));
  EXPECT_FALSE(pair.server.certificate_covers("elsewhere.example"));

  pair.client.send("ping");
  pair.exchange();
  EXPECT_EQ(pair.received, "ping");
  pair.seal("pong");
  EXPECT_TRUE(pair.sealed);
  pair.exchange();
  EXPECT_EQ(pair.client.received(), "pong");
  EXPECT_EQ(pair.server.held_bytes(), 0U);
}

TEST_P(EveryVersion, BytesMayBeCutAnywhere) {
  for (const std::size_t piece : {1, 2, 3, 5, 7, 64, 1000}) {
    Pair pair(localhost_context(), client_of(GetParam()));
    pair.exchange(piece);
    pair.client.send(std::string(3000, 'a'));
    pair.client.send("b");
    pair.seal(std::string(3000, 'c'));
    pair.exchange(piece);
    EXPECT_EQ(pair.received, std::string(3000, 'a') + "b");
    EXPECT_EQ(pair.client.received(), std::string(3000, 'c'));
    EXPECT_FALSE(pair.server.mid_record());
  }
}

TEST_P(EveryVersion, OneCutAtEveryPlaceOfTwoRecords) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  std::string sent;
  for (std::size_t cut = 1;; ++cut) {
    pair.client.send("first");
    pair.client.send("second");
    sent += "firstsecond";
    const auto bytes = pair.client.take_output();
    if (cut >= bytes.size()) break;
    pair.server.receive(std::span(bytes).first(cut), pair, pair.to_client);
    pair.server.receive(std::span(bytes).subspan(cut), pair, pair.to_client);
    ASSERT_EQ(pair.received, sent) << cut;
    ASSERT_FALSE(pair.server.mid_record()) << cut;
  }
}

TEST_P(EveryVersion, AnIncompleteRecordIsHeldAndShown) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  pair.client.send("hello");
  const auto bytes = pair.client.take_output();
  pair.deliver(std::span(bytes).first(bytes.size() - 1));
  EXPECT_EQ(pair.received, "");
  EXPECT_TRUE(pair.server.mid_record());
  EXPECT_EQ(pair.server.held_bytes(), bytes.size() - 1);
  pair.deliver(std::span(bytes).last(1));
  EXPECT_EQ(pair.received, "hello");
  EXPECT_EQ(pair.server.held_bytes(), 0U);
}

TEST_P(EveryVersion, SeveralRecordsAtOnceAreDeliveredOneByOne) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  for (const char* text : {"one ", "two ", "three"}) pair.client.send(text);
  pair.deliver(pair.client.take_output());
  EXPECT_EQ(pair.received, "one two three");
  EXPECT_EQ(pair.pieces, 3);
}

TEST_P(EveryVersion, LargeTextIsSealedInWholeRecords) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  const std::string text(100'000, 'x');
  pair.seal(text);
  ASSERT_TRUE(pair.sealed);
  std::vector<std::size_t> sizes;
  for (std::size_t at = 0; at < pair.to_client.size();) {
    sizes.push_back(record_size(std::span(pair.to_client).subspan(at)));
    at += sizes.back();
  }
  ASSERT_EQ(sizes.size(), 7U);
  const std::size_t overhead = GetParam() == TLS1_2_VERSION ? 24 : 17;
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(sizes[i], kRecordHeaderBytes + kMaxPlaintextBytes + overhead);
  }
  pair.exchange();
  EXPECT_EQ(pair.client.received(), text);
}

TEST_P(EveryVersion, ARequestInTheClientsLastFlightIsDelivered) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.deliver(pair.client.take_output());
  pair.client.receive(std::exchange(pair.to_client, {}));
  if (GetParam() == TLS1_2_VERSION) {
    // A client of TLS 1.2 waits for the server's Finished before it sends data.
    pair.deliver(pair.client.take_output());
    pair.client.receive(std::exchange(pair.to_client, {}));
  }
  ASSERT_TRUE(pair.client.connected());
  if (GetParam() == TLS1_3_VERSION) pair.client.update_key(false);
  pair.client.send("GET / HTTP/1.1\r\n\r\n");
  pair.deliver(pair.client.take_output());
  EXPECT_EQ(pair.server.state(), State::kOpen);
  EXPECT_EQ(pair.received, "GET / HTTP/1.1\r\n\r\n");
}

TEST_P(EveryVersion, TheOwnerMayAnswerFromWithinTheSink) {
  class Echo final : public Sink {
   public:
    Connection* server = nullptr;
    std::vector<std::byte>* out = nullptr;
    void on_plaintext(std::span<const std::byte> plaintext) override {
      EXPECT_TRUE(server->seal(plaintext, *out));
      if (as_text(plaintext) == "bye") server->close(*out);
    }
  };
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  Echo echo;
  echo.server = &pair.server;
  echo.out = &pair.to_client;
  pair.client.send("hello ");
  pair.client.send("bye");
  pair.server.receive(pair.client.take_output(), echo, pair.to_client);
  pair.client.receive(pair.to_client);
  EXPECT_EQ(pair.client.received(), "hello bye");
  EXPECT_TRUE(pair.client.server_closed());
}

TEST_P(EveryVersion, TheServerClosesFirst) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  pair.seal("last");
  pair.server.close(pair.to_client);
  const std::size_t size = pair.to_client.size();
  pair.server.close(pair.to_client);
  EXPECT_EQ(pair.to_client.size(), size) << "only one close_notify";
  EXPECT_FALSE(pair.server.can_seal());
  EXPECT_FALSE(pair.server.seal(as_bytes("more"), pair.to_client));
  pair.exchange();
  EXPECT_EQ(pair.client.received(), "last");
  EXPECT_TRUE(pair.client.server_closed());
  EXPECT_EQ(pair.server.state(), State::kOpen) << "the client has not closed yet";
  pair.client.close();
  pair.exchange();
  EXPECT_EQ(pair.server.state(), State::kPeerClosed);
}

TEST_P(EveryVersion, TheClientClosesFirstAndIsStillAnswered) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  pair.client.send("last request");
  pair.client.close();
  pair.deliver(pair.client.take_output());
  EXPECT_EQ(pair.received, "last request");
  EXPECT_EQ(pair.server.state(), State::kPeerClosed);
  pair.deliver(bytes_of("bytes after close_notify are ignored"));
  EXPECT_EQ(pair.server.state(), State::kPeerClosed);
  EXPECT_EQ(pair.server.held_bytes(), 0U);
  pair.seal("answer");
  EXPECT_TRUE(pair.sealed);
  pair.server.close(pair.to_client);
  pair.client.receive(pair.to_client);
  EXPECT_EQ(pair.client.received(), "answer");
  EXPECT_TRUE(pair.client.server_closed());
}

TEST_P(EveryVersion, WithoutCloseNotifyTheStateTellsATruncation) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  pair.client.send("cut");
  pair.exchange();
  // The owner sees the end of the byte stream now: not in kPeerClosed.
  EXPECT_EQ(pair.server.state(), State::kOpen);
}

TEST_P(EveryVersion, TheClientsFatalAlertIsReported) {
  Pair pair(localhost_context(), client_of(GetParam()));
  pair.exchange();
  pair.client.receive(
      bytes_of(std::string_view("\x17\x03\x03\x00\x20"
                                "0123456789abcdef0123456789abcdef",
                                37)));
  EXPECT_TRUE(pair.client.failed());
  pair.exchange();
  ASSERT_EQ(pair.server.state(), State::kFailed);
  EXPECT_EQ(pair.server.failure()->alert, Alert::kBadRecordMac);
  EXPECT_TRUE(pair.server.failure()->by_peer);
  EXPECT_FALSE(pair.server.seal(as_bytes("x"), pair.to_client));
}

TEST(Connection, KeyUpdatesOfTheClientAreFollowedAndAnswered) {
  Pair pair(localhost_context());
  pair.exchange();
  for (int i = 0; i < 100; ++i) {
    pair.client.update_key(i % 2 == 0);
    pair.client.send("x");
    pair.exchange();
    pair.seal("y");
    pair.exchange();
  }
  EXPECT_EQ(pair.received, std::string(100, 'x'));
  EXPECT_EQ(pair.client.received(), std::string(100, 'y'));
}

TEST(Connection, ItsOwnKeyIsUpdatedBeforeItIsWornOut) {
  Pair pair(localhost_context([](auto& options) { options.records_per_key = 2; }));
  pair.exchange();
  std::size_t updated_at = 0;
  std::size_t plain = 0;
  for (std::size_t i = 1; i <= 3; ++i) {
    pair.seal("z");
    if (i == 1) plain = pair.to_client.size();
    if (pair.to_client.size() > plain && updated_at == 0) updated_at = i;
    pair.exchange();
  }
  EXPECT_EQ(updated_at, 3U);
  EXPECT_EQ(pair.client.received(), "zzz");
}

TEST(Connection, ItIsSmall) { EXPECT_LE(sizeof(Connection), 168U); }

}  // namespace
}  // namespace perch::tls
