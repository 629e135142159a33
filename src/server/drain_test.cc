#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using std::chrono::milliseconds;
using testing::get;
using testing::SocketClient;
using testing::TestServer;

constexpr std::string_view kNotice = "GOAWAY 2147483647 NO_ERROR";

class Drain : public ::testing::Test {
 protected:
  void SetUp() override { server_.start(); }

  void begin(Deadline deadline = Deadline::after(testing::kPatience),
             std::function<bool()> hurry = {}) {
    drained_ = std::async(std::launch::async, [this, deadline, hurry = std::move(hurry)] {
      return server_.server().drain(deadline, hurry);
    });
  }
  bool end() { return drained_.get(); }

  TestServer server_;
  std::future<bool> drained_;
};

TEST_F(Drain, NothingOpenIsDoneAtOnce) {
  EXPECT_TRUE(server_.server().drain(Deadline::never()));
  EXPECT_TRUE(server_.server().drain(Deadline::never())) << "a second call is harmless";
  EXPECT_EQ(server_.statistics().open, 0u);
}

TEST_F(Drain, AParkedConnectionIsToldTwiceAndServedInBetween) {
  SocketClient client(server_.port());
  client.handshake();
  ASSERT_TRUE(server_.parked(1));
  begin();
  EXPECT_TRUE(client.read_frame(kNotice));
  EXPECT_EQ(client.fetch(1).body, "Hello, Perch\n");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(client.story(),
            "SETTINGS; WINDOW_UPDATE 0 +983041; SETTINGS ACK; GOAWAY 2147483647 NO_ERROR; "
            "HEADERS 1 200; DATA 1 13 END_STREAM; GOAWAY 1 NO_ERROR");
  client.close();
  EXPECT_TRUE(end());
  EXPECT_EQ(server_.statistics().requests, 1u);
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
}

TEST_F(Drain, AnOpenStreamIsFinishedAndLaterOnesAreIgnored) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  begin();
  EXPECT_TRUE(client.read_frame(kNotice));
  EXPECT_TRUE(client.read_frame("GOAWAY 1 NO_ERROR"));
  client.script.request(3, get("/hello"));
  client.script.ping(7);
  client.send();
  EXPECT_TRUE(client.read_frame("PING ACK 7"));
  EXPECT_EQ(client.answer_so_far(3).status, "");
  server_.gate = true;
  EXPECT_EQ(client.answer(1).body, "released\n");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(client.answer_so_far(3).status, "");
  client.close();
  EXPECT_TRUE(end());
  EXPECT_EQ(server_.statistics().requests, 1u);
}

TEST_F(Drain, ManyParkedConnectionsAreToldTwice) {
  constexpr std::size_t kClients = 600;  // more than one batch
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server_.port()));
    clients.back()->handshake();
  }
  ASSERT_TRUE(server_.parked(kClients));
  begin();
  for (const auto& client : clients) {
    EXPECT_TRUE(client->read_to_end());
    EXPECT_EQ(client->story(),
              "SETTINGS; WINDOW_UPDATE 0 +983041; SETTINGS ACK; GOAWAY 2147483647 NO_ERROR; "
              "GOAWAY 0 NO_ERROR");
    client->close();
  }
  EXPECT_TRUE(end());
  EXPECT_EQ(server_.statistics().parked, 0u);
}

TEST_F(Drain, ASilentConnectionIsClosed) {
  SocketClient client(server_.port());
  ASSERT_TRUE(server_.open(1));
  begin();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(end());
}

TEST_F(Drain, TheDeadlineCutsOff) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  EXPECT_FALSE(server_.server().drain(Deadline::after(milliseconds(50))));
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(server_.waiting, 0);
  EXPECT_EQ(server_.cancel_reason(), task::CancelReason::kConnectionLost);
  EXPECT_EQ(server_.statistics().open, 0u);
  EXPECT_TRUE(server_.server().drain(Deadline::never()));
}

// As a second Ctrl-C is told: once.
TEST_F(Drain, HurryCutsOffAlthoughItIsSaidOnce) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  int asked = 0;
  EXPECT_FALSE(
      server_.server().drain(Deadline::after(testing::kPatience), [&] { return ++asked == 3; }));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(server_.waiting, 0);
}

TEST_F(Drain, ConnectionsAreRefusedMeanwhile) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  begin();
  EXPECT_TRUE(testing::eventually([&] { return !SocketClient(server_.port()).connected(); }));
  server_.gate = true;
  EXPECT_EQ(client.answer(1).body, "released\n");
  client.close();
  EXPECT_TRUE(end());
  EXPECT_FALSE(SocketClient(server_.port()).connected());
}

TEST_F(Drain, StatisticsMayBeAskedMeanwhile) {
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 20; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server_.port()));
    clients.back()->handshake();
  }
  ASSERT_TRUE(server_.open(20));
  std::atomic<bool> done{false};
  std::thread observer([&] {
    while (!done) {
      EXPECT_LE(server_.statistics().open, 20u);
    }
  });
  server_.server().drain(Deadline::after(milliseconds(20)));
  done = true;
  observer.join();
  EXPECT_EQ(server_.statistics().accepted, 20u);
}

// --- without a drain

TEST_F(Drain, TheDestructorEndsOpenStreamsAndWaitingHandlers) {
  SocketClient parked(server_.port());
  parked.handshake();
  ASSERT_TRUE(server_.parked(1));
  SocketClient silent(server_.port());
  SocketClient client(server_.port());
  client.handshake();
  for (http2::StreamId stream = 1; stream < 20; stream += 2) {
    client.script.request(stream, get("/wait"));
  }
  client.script.request(21, testing::post("/echo"), false);
  client.script.data(21, "half a body");
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(10));
  server_.destroy();
  EXPECT_EQ(server_.waiting, 0);
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(parked.read_to_end());
  EXPECT_TRUE(silent.read_to_end());
}

TEST_F(Drain, TheDestructorEndsHandlersThatInsist) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/linger"));
  client.script.request(3, get("/linger"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(2));
  client.script.reset(1);
  client.send();
  ASSERT_TRUE(testing::eventually([&] { return server_.cancelled == 1; }));
  server_.destroy();
  EXPECT_EQ(server_.waiting, 0);
  EXPECT_TRUE(client.read_to_end());
}

TEST(Start, AServerThatNeverStartedEnds) {
  TestServer server;
  EXPECT_TRUE(server.server().listen("http://127.0.0.1:0").has_value());
  EXPECT_TRUE(server.server().drain(Deadline::never()));
  EXPECT_EQ(server.statistics().open, 0u);
}

TEST(Start, APortThatIsTakenIsSaidSo) {
  TestServer first;
  first.start();
  Server second;
  const auto listening = second.listen("http://127.0.0.1:" + std::to_string(first.port()));
  ASSERT_FALSE(listening.has_value());
  EXPECT_EQ(listening.error().code(), ErrorCode::kAddressInUse);
}

}  // namespace
}  // namespace perch::server
