// Deadlines, with short options. Nothing is concluded from how long an outcome took.
#include <sys/socket.h>

#include <thread>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using testing::get;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;

TEST(Deadlines, ASilentConnectionIsClosed) {
  ServerOptions options = quick_options();
  options.http2.header_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(client.story(), "");
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().connection_errors, 1u);
}

TEST(Deadlines, APrefaceThatDoesNotGoOnIsAnError) {
  ServerOptions options = quick_options();
  options.http2.header_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.send_bytes(as_bytes("PRI * HT"));
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 PROTOCOL_ERROR"));
  EXPECT_EQ(server.statistics().connection_errors, 1u);
}

TEST(Deadlines, AnIncompleteFrameIsAnError) {
  ServerOptions options = quick_options();
  options.partial_frame_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.raw("000008 06 00");
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 ENHANCE_YOUR_CALM"));
}

TEST(Deadlines, AnOpenHeaderBlockIsAnError) {
  ServerOptions options = quick_options();
  options.http2.header_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.frames().headers(1, client.script.block(get("/hello")), 0);
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 ENHANCE_YOUR_CALM")) << client.story();
}

TEST(Deadlines, SettingsMustBeAcknowledged) {
  ServerOptions options = quick_options();
  options.http2.settings_ack_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.script.preface();
  client.script.settings();
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 SETTINGS_TIMEOUT"));
}

// A peer that is never quiet for as long as the grace before parking, an hour here, is not exempt.
class BusyPeer : public ::testing::Test {
 protected:
  static ServerOptions options() {
    ServerOptions options = quick_options();
    options.parking_grace = hours(1);
    options.parking_grace_max = hours(1);
    return options;
  }
};

TEST_F(BusyPeer, CannotDribbleAFrame) {
  ServerOptions dribble = options();
  dribble.partial_frame_timeout = milliseconds(50);
  TestServer server(dribble);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.raw("004000 00 00 00000001");
  client.send();
  const std::byte zero{};
  EXPECT_TRUE(testing::eventually([&] { return !client.send_bytes({&zero, 1}); }));
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().connection_errors, 1u);
}

TEST_F(BusyPeer, MustAcknowledgeSettings) {
  ServerOptions talk = options();
  talk.http2.settings_ack_timeout = milliseconds(50);
  TestServer server(talk);
  server.start();
  SocketClient client(server.port());
  client.script.preface();
  client.script.settings();
  EXPECT_TRUE(testing::eventually([&] {
    client.script.ping();
    return !client.send() || !client.read_available();
  }));
  EXPECT_TRUE(client.saw("GOAWAY 0 SETTINGS_TIMEOUT"));
}

TEST_F(BusyPeer, MustReadItsAnswers) {
  ServerOptions stall = options();
  stall.write_stall_timeout = milliseconds(50);
  TestServer server(stall);
  server.start();
  SocketClient client(server.port(), {.receive_buffer = 4096});
  client.script.preface();
  client.script.settings({{http2::setting::kInitialWindowSize, 1 << 30}});
  client.script.window_update(0, 1 << 30);
  client.script.settings_ack();
  client.script.request(1, get("/bytes/30000000"));
  EXPECT_TRUE(testing::eventually([&] {
    client.script.window_update(1, 1);
    return !client.send();
  }));
  EXPECT_TRUE(server.open(0));
}

// --- idle

TEST(Deadlines, AnIdleParkedConnectionIsToldGoodbye) {
  ServerOptions options = quick_options();
  options.idle_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  EXPECT_EQ(client.fetch(1).status, "200");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 1 NO_ERROR"));
  client.close();
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().parked_at_most, 1u);
  EXPECT_EQ(server.statistics().connection_errors, 0u);
}

TEST(Deadlines, AnIdleUnparkedConnectionIsToldGoodbye) {
  ServerOptions options = testing::unparked_options();
  options.idle_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  EXPECT_EQ(client.fetch(1).status, "200");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 1 NO_ERROR"));
  EXPECT_EQ(server.statistics().connection_errors, 0u);
}

TEST(Deadlines, AnOpenStreamIsNotIdle) {
  ServerOptions options = quick_options();
  options.idle_timeout = milliseconds(1);
  options.http2.header_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server.waiting_handlers(1));
  // Silent connections that came later are expired: so the sweep has been round twice.
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(SocketClient(server.port()).read_to_end());
  server.gate = true;
  EXPECT_EQ(client.answer(1).body, "released\n");
}

// --- output

TEST(Deadlines, AClientThatDoesNotReadIsClosed) {
  ServerOptions options = quick_options();
  options.write_stall_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port(), {.receive_buffer = 4096});
  client.begin_with_open_windows();
  client.script.request(1, get("/bytes/30000000"));
  client.send();
  ASSERT_TRUE(server.open(1));
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().connection_errors, 1u);
  client.read_to_end();
  EXPECT_LT(client.answer_so_far(1).body.size(), 30'000'000u);
}

TEST(Deadlines, AClientThatReadsTooSlowlyIsClosed) {
  ServerOptions options = quick_options();
  options.write_stall_timeout = milliseconds(50);
  options.minimum_rate = std::uint64_t{1} << 40;  // nobody reads so fast
  TestServer server(options);
  server.start();
  SocketClient client(server.port(), {.receive_buffer = 4096});
  client.begin_with_open_windows();
  client.script.request(1, get("/bytes/30000000"));
  client.send();
  EXPECT_TRUE(testing::eventually([&] {
    std::byte some[512];
    return ::recv(client.fd(), some, sizeof(some), 0) <= 0 || server.statistics().open == 0;
  }));
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().connection_errors, 1u);
}

// --- the end

TEST(Deadlines, ALingeringConnectionIsKeptWhileItsTailIsTaken) {
  ServerOptions options = quick_options();
  options.linger_timeout = milliseconds(1);
  TestServer server(options);
  server.start();
  SocketClient client(server.port(), {.receive_buffer = 4096});
  client.begin_with_open_windows();
  client.script.request(1, get("/bytes/1000000"));
  client.script.frames().goaway(0, http2::ErrorCode::kNoError);
  client.send();
  // The whole response comes, although our side has long been done with the connection.
  std::size_t got = 0;
  std::byte some[4096];
  for (;;) {
    const ssize_t part = ::recv(client.fd(), some, sizeof(some), 0);
    if (part <= 0) {
      EXPECT_EQ(part, 0);
      break;
    }
    const std::size_t before = got;
    got += static_cast<std::size_t>(part);
    if (before / 250'000 != got / 250'000) {
      // Long enough for a sweep; and input after a close would be answered by a reset.
      std::this_thread::sleep_for(milliseconds(1100));
      client.script.window_update(0, 1);
      client.send();
    }
  }
  EXPECT_GT(got, 1'000'000u);
}

TEST(Deadlines, AClientThatDoesNotCloseIsClosed) {
  ServerOptions options = quick_options();
  options.linger_timeout = milliseconds(50);
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.raw("000004 08 00 00000000 00000000");  // WINDOW_UPDATE by 0
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 PROTOCOL_ERROR"));
  EXPECT_TRUE(server.open(0));
}

TEST(Deadlines, AClientThatStillSendsGetsTheWholeGoaway) {
  TestServer server;
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.raw("000004 08 00 00000000 00000000");
  for (int i = 0; i < 5000; ++i) client.script.ping();
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.saw("GOAWAY 0 PROTOCOL_ERROR"));
  client.close();
  EXPECT_TRUE(server.open(0));
}

}  // namespace
}  // namespace perch::server
