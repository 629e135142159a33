// Parking is invisible: a client gets the same answers whether its connection was parked or not.
// Each test runs with parking after a millisecond and with parking off.
#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using testing::Answer;
using testing::FieldLines;
using testing::get;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;
using testing::unparked_options;

class Parking : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override { server_.start(); }

  static bool parks() { return GetParam(); }
  // Until the one connection is parked; nothing where parking is off.
  void settle() {
    if (parks()) {
      ASSERT_TRUE(server_.parked(1));
    }
  }
  // A client that is through with the handshake.
  void shake_hands(SocketClient& client, std::vector<http2::Setting> settings = {}) {
    client.handshake(std::move(settings));
    ASSERT_TRUE(client.read_frame("SETTINGS ACK"));
    settle();
  }

  TestServer server_{GetParam() ? quick_options() : unparked_options()};
};

std::string on_or_off(const ::testing::TestParamInfo<bool>& parks) {
  return parks.param ? "On" : "Off";
}
INSTANTIATE_TEST_SUITE_P(OnAndOff, Parking, ::testing::Bool(), on_or_off);

TEST_P(Parking, AnswersARequestAfterEachPause) {
  SocketClient client(server_.port());
  shake_hands(client);
  for (http2::StreamId stream = 1; stream < 20; stream += 2) {
    const Answer answer = client.fetch(stream);
    EXPECT_EQ(answer.status, "200");
    EXPECT_EQ(answer.body, "Hello, Perch\n");
    settle();
  }
  const ServerStatistics statistics = server_.statistics();
  EXPECT_EQ(statistics.accepted, 1u);
  EXPECT_EQ(statistics.open, 1u);
  EXPECT_EQ(statistics.requests, 10u);
  EXPECT_EQ(statistics.parked, parks() ? 1u : 0u);
  EXPECT_EQ(statistics.parked_at_most, parks() ? 1u : 0u);
  EXPECT_EQ(statistics.wakes, parks() ? 10u : 0u);
  EXPECT_EQ(statistics.connection_errors, 0u);
  EXPECT_EQ(client.script.violation(), "");
}

// The first part wakes the connection, which then must not park for the frame that is incomplete.
TEST_P(Parking, TakesARequestCutAnywhere) {
  std::size_t size = 0;
  for (std::size_t cut = 1; cut == 1 || cut < size; ++cut) {
    SocketClient other(server_.port());
    shake_hands(other);
    other.script.request(1, get("/hello"));
    const std::vector<std::byte> bytes = other.script.take_output();
    size = bytes.size();
    ASSERT_TRUE(other.send_bytes(std::span(bytes).first(cut)));
    if (parks()) {
      ASSERT_TRUE(server_.parked(0));
    }
    ASSERT_TRUE(other.send_bytes(std::span(bytes).subspan(cut)));
    const Answer answer = other.answer(1);
    ASSERT_EQ(answer.status, "200") << cut;
    ASSERT_EQ(answer.body, "Hello, Perch\n") << cut;
    settle();
    other.close();
    ASSERT_TRUE(server_.open(0));
  }
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
}

// A wake that brings only a part of a request is no useless one: the request comes.
TEST_P(Parking, TakesManyRequestsThatComeInTwoParts) {
  SocketClient client(server_.port());
  shake_hands(client);
  for (http2::StreamId stream = 1; stream < 300; stream += 2) {
    client.script.request(stream);
    const std::vector<std::byte> bytes = client.script.take_output();
    ASSERT_TRUE(client.send_bytes(std::span(bytes).first(5)));
    if (parks()) {
      ASSERT_TRUE(server_.parked(0));
    }
    ASSERT_TRUE(client.send_bytes(std::span(bytes).subspan(5)));
    ASSERT_EQ(client.answer(stream).status, "404") << client.story();
    client.script.forget_received();
    settle();
  }
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
}

TEST_P(Parking, AnswersAPing) {
  SocketClient client(server_.port());
  shake_hands(client);
  client.script.ping(0xabcdef);
  client.send();
  EXPECT_TRUE(client.read_frame("PING ACK abcdef"));
  settle();
  EXPECT_EQ(client.fetch(1).body, "Hello, Perch\n");
}

TEST_P(Parking, AppliesSettingsAndAcknowledgesThem) {
  SocketClient client(server_.port());
  shake_hands(client);
  client.script.forget_received();
  client.script.settings({{http2::setting::kInitialWindowSize, 5}});
  client.send();
  EXPECT_TRUE(client.read_frame("SETTINGS ACK"));
  settle();
  client.script.request(1, get("/hello"));
  client.send();
  EXPECT_TRUE(client.read_frame("DATA 1 5"));
  EXPECT_FALSE(client.answer_so_far(1).ended);
  client.script.window_update(1, 100);
  client.send();
  EXPECT_EQ(client.answer(1).body, "Hello, Perch\n");
  EXPECT_EQ(client.script.violation(), "");
}

TEST_P(Parking, AppliesWindowUpdates) {
  SocketClient client(server_.port());
  shake_hands(client, {{http2::setting::kInitialWindowSize, 1'000'000}});
  client.script.request(1, get("/bytes/65535"));  // all of the connection's window
  client.send();
  EXPECT_EQ(client.answer(1).body.size(), 65'535u);
  settle();
  client.script.window_update(0, 7);
  client.send();
  client.script.ping(1);
  client.send();
  EXPECT_TRUE(client.read_frame("PING ACK 1"));
  settle();
  client.script.request(3, get("/hello"));
  client.send();
  EXPECT_TRUE(client.read_frame("DATA 3 7"));
  client.script.window_update(0, 6);
  client.send();
  EXPECT_EQ(client.answer(3).body, "Hello, Perch\n");
}

TEST_P(Parking, IgnoresPriorityAndUnknownFrames) {
  SocketClient client(server_.port());
  shake_hands(client);
  client.script.frames().priority(1, {.dependency = 0, .weight = 15});
  client.send();
  settle();
  client.script.raw("000003 fa 00 00000000 010203");
  client.send();
  settle();
  EXPECT_EQ(client.fetch(1).body, "Hello, Perch\n");
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
}

TEST_P(Parking, KeepsThePolicyForFramesOfClosedStreams) {
  SocketClient client(server_.port());
  shake_hands(client);
  EXPECT_EQ(client.fetch(1).status, "200");
  settle();
  client.script.reset(1);
  client.script.ping(2);
  client.send();
  EXPECT_TRUE(client.read_frame("PING ACK 2"));
  settle();
  client.script.data(1, "too late");
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 1 STREAM_CLOSED"));
}

TEST_P(Parking, SeesTheClientCloseOrKillTheConnection) {
  for (const bool kill : {false, true}) {
    SocketClient client(server_.port());
    shake_hands(client);
    if (kill) {
      client.kill();
    } else {
      client.close();
    }
    ASSERT_TRUE(server_.open(0));
    EXPECT_EQ(server_.statistics().parked, 0u);
    EXPECT_EQ(server_.statistics().parked_record_bytes, 0u);
  }
  EXPECT_EQ(server_.statistics().wakes, 0u);
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
}

TEST_P(Parking, AnswersAClientThatSendsAndShutsItsSideDown) {
  SocketClient client(server_.port());
  shake_hands(client);
  client.script.request(1, get("/hello"));
  client.send();
  client.half_close();
  EXPECT_EQ(client.answer(1).body, "Hello, Perch\n");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(server_.open(0));
}

TEST_P(Parking, KeepsTheDecodersTable) {
  const FieldLines browser = {{"user-agent", "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101"},
                              {"accept", "text/html,application/xhtml+xml,*/*;q=0.8"},
                              {"accept-language", "en-GB,en;q=0.7,de;q=0.3"},
                              {"cookie", "session=0123456789abcdef0123456789abcdef"},
                              {"cookie", "theme=dark"}};
  SocketClient client(server_.port());
  shake_hands(client);
  EXPECT_EQ(client.fetch(1, "/hello", browser).status, "200");
  settle();
  for (http2::StreamId stream = 3; stream < 9; stream += 2) {
    client.script.request(stream, get("/hello", browser));
    const std::vector<std::byte> bytes = client.script.take_output();
    EXPECT_LE(bytes.size(), 9u + 4 + browser.size()) << "every field is one index";
    client.send_bytes(bytes);
    EXPECT_EQ(client.answer(stream).status, "200");
    settle();
  }
}

TEST_P(Parking, ResponsesDecodeAfterAHundredWakes) {
  SocketClient client(server_.port());
  shake_hands(client);
  http2::StreamId stream = 1;
  for (int i = 0; i < 100; ++i, stream += 2) {
    const std::string number = std::to_string(i % 7 * 1000);
    const Answer answer = client.fetch(stream, "/fields/" + number);
    ASSERT_EQ(answer.field("x-n"), number);
    ASSERT_EQ(answer.field("server"), "perch");
    client.script.forget_received();
    settle();
  }
  EXPECT_EQ(client.script.violation(), "");
  EXPECT_EQ(server_.statistics().wakes, parks() ? 100u : 0u);
}

TEST_P(Parking, FollowsChangesOfTheTableSize) {
  SocketClient client(server_.port());
  client.handshake({{http2::setting::kHeaderTableSize, 0}});  // a size update is due: no parking
  http2::StreamId stream = 1;
  // The client's decoder holds the announced 4,096; the server's encoder goes by these.
  for (const std::uint32_t size : {100u, 0u, 4096u, 64u, 4096u}) {
    client.script.settings({{http2::setting::kHeaderTableSize, size}});
    client.send();
    for (int i = 0; i < 3; ++i, stream += 2) {
      const Answer answer = client.fetch(stream, "/fields/" + std::to_string(size));
      ASSERT_EQ(answer.field("x-n"), std::to_string(size));
      settle();
    }
  }
  EXPECT_EQ(client.script.violation(), "");
}

TEST_P(Parking, TakesAHeaderBlockInManyFrames) {
  SocketClient client(server_.port());
  shake_hands(client);
  client.script.request_in_parts(1, get("/hello"), 12);
  const std::vector<std::byte> bytes = client.script.take_output();
  ASSERT_GT(bytes.size(), 30u);
  client.send_bytes(std::span(bytes).first(21));  // HEADERS, whole, without END_HEADERS
  if (parks()) {
    ASSERT_TRUE(server_.parked(0));
  }
  for (std::size_t i = 21; i < bytes.size(); ++i) {
    ASSERT_TRUE(client.send_bytes(std::span(bytes).subspan(i, 1)));
  }
  EXPECT_EQ(client.answer(1).body, "Hello, Perch\n");
}

TEST_P(Parking, ClosesAfterTheClientsGoaway) {
  SocketClient client(server_.port());
  shake_hands(client);
  EXPECT_EQ(client.fetch(1).status, "200");
  settle();
  client.script.frames().goaway(0, http2::ErrorCode::kNoError);
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(server_.open(1));  // until the client closes as well
  client.close();
  EXPECT_TRUE(server_.open(0));
}

TEST_P(Parking, CountsWakesWithoutARequest) {
  SocketClient client(server_.port());
  shake_hands(client);
  int pings = 0;
  for (; pings < 200; ++pings) {
    client.script.ping(static_cast<std::uint64_t>(pings) + 1);
    if (!client.send()) break;
    char expected[32];
    std::snprintf(expected, sizeof(expected), "PING ACK %x", pings + 1);
    if (!client.read_frame(expected)) break;
    if (parks()) {
      // Parked again, or told to go.
      ASSERT_TRUE(testing::eventually([&] {
        const ServerStatistics statistics = server_.statistics();
        return statistics.parked == 1 || statistics.connection_errors == 1;
      }));
    }
    client.script.forget_received();
  }
  if (parks()) {
    EXPECT_EQ(pings, 101) << "100 useless wakes in ten seconds are allowed";
    EXPECT_EQ(server_.statistics().connection_errors, 1u);
  } else {
    EXPECT_EQ(pings, 200);
  }
}

// --- what forbids it

class NoParking : public ::testing::Test {
 protected:
  void SetUp() override { server_.start(); }
  // Another connection parks: so the sweep has been round.
  void let_the_sweep_pass() {
    for (int i = 0; i < 5; ++i) {
      SocketClient other(server_.port());
      other.handshake();
      ASSERT_TRUE(server_.parked(1));
      other.close();
      ASSERT_TRUE(server_.parked(0));
    }
  }
  TestServer server_;
};

TEST_F(NoParking, WhileAStreamIsOpen) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  let_the_sweep_pass();
  EXPECT_EQ(server_.statistics().parked_at_most, 1u);
  server_.gate = true;
  EXPECT_EQ(client.answer(1).body, "released\n");
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(NoParking, WhileAFrameIsIncomplete) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.raw("000008 06 00 000000");
  client.send();
  ASSERT_TRUE(client.read_frame("SETTINGS ACK"));
  let_the_sweep_pass();
  EXPECT_EQ(server_.statistics().parked_at_most, 1u);
  client.script.raw("00 0000000000000009");
  client.send();
  EXPECT_TRUE(client.read_frame("PING ACK 9"));
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(NoParking, WhileOurSettingsAreNotAcknowledged) {
  SocketClient client(server_.port());
  client.script.preface();
  client.script.settings();
  client.send();
  ASSERT_TRUE(client.read_frame("SETTINGS ACK"));
  let_the_sweep_pass();
  EXPECT_EQ(server_.statistics().parked_at_most, 1u);
  client.script.settings_ack();
  client.send();
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(NoParking, WhileTheHandlerOfAResetStreamRuns) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/linger"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.script.reset(1);
  client.send();
  ASSERT_TRUE(testing::eventually([&] { return server_.cancelled == 1; }));
  let_the_sweep_pass();
  EXPECT_EQ(server_.statistics().parked_at_most, 1u);
  server_.gate = true;
  EXPECT_TRUE(server_.parked(1));
}

}  // namespace
}  // namespace perch::server
