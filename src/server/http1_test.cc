// HTTP/1.1 on real sockets: what the server makes of the engine. The engine's own tests are in
// src/http1.
#include <gtest/gtest.h>

#include "perch/task/sleep.h"
#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"
#include "server/testing/text_client.h"

namespace perch::server {
namespace {

using http::Request;
using http::Response;
using task::Task;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;
using testing::TextClient;

std::string get(std::string_view path, std::string_view more = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: perch.test\r\n" + std::string(more) +
         "\r\n";
}

class Http1 : public ::testing::TestWithParam<bool> {
 protected:
  static ServerOptions options() {
    ServerOptions options = quick_options();
    options.parking = GetParam();
    return options;
  }
  // The connection is between requests: parked, or merely open.
  void rest() {
    if (GetParam()) {
      ASSERT_TRUE(server_.parked(1));
    }
  }

  TestServer server_{options()};
};

TEST_P(Http1, KeepsTheConnection) {
  server_.start();
  TextClient client(server_.port());
  for (int i = 0; i < 20; ++i) {
    client.send(get("/hello"));
    const std::string response = client.read_response();
    EXPECT_TRUE(response.starts_with("HTTP/1.1 200 ")) << response;
    EXPECT_TRUE(response.ends_with("\r\n\r\nHello, Perch\n")) << response;
    rest();
  }
  EXPECT_EQ(server_.statistics().accepted, 1u);
  EXPECT_EQ(server_.statistics().requests, 20u);
}

TEST_P(Http1, AnswersPipelinedRequestsInOrder) {
  server_.start();
  TextClient client(server_.port());
  std::string requests;
  for (int i = 0; i < 3000; ++i) requests += get("/bytes/" + std::to_string(i % 7 + 1));
  client.send(requests);
  for (int i = 0; i < 3000; ++i) {
    const std::string response = client.read_response();
    ASSERT_TRUE(response.ends_with("\r\n\r\n" + std::string(i % 7 + 1, 'b'))) << i << response;
  }
  rest();
}

// Those behind a handler that waits are neither lost nor answered before it.
TEST_P(Http1, PipelinedRequestsWaitForAHandler) {
  server_.start();
  TextClient client(server_.port());
  std::string requests = get("/wait");
  for (int i = 0; i < 3000; ++i) requests += get("/hello");
  client.send(requests);
  ASSERT_TRUE(server_.waiting_handlers(1));
  EXPECT_EQ(server_.statistics().requests, 1u);
  server_.gate = true;
  EXPECT_TRUE(client.read_response().ends_with("released\n"));
  for (int i = 0; i < 3000; ++i) ASSERT_TRUE(client.read_response().ends_with("Hello, Perch\n"));
  rest();
}

TEST_P(Http1, TakesAnyCutOfTheInput) {
  server_.start();
  TextClient client(server_.port());
  const std::string request =
      "POST /echo HTTP/1.1\r\nHost: perch.test\r\nTransfer-Encoding: chunked\r\n\r\n"
      "5\r\nhello\r\n0\r\n\r\n";
  for (const char byte : request) client.send({&byte, 1});
  EXPECT_NE(client.read_to("0\r\n\r\n").find("\r\n5\r\nhello\r\n"), std::string::npos);
  rest();
}

TEST_P(Http1, TakesLongBodiesPastTheirWindow) {
  server_.start();
  TextClient client(server_.port());
  constexpr std::size_t kBytes = 4 << 20;
  client.send("POST /echo HTTP/1.1\r\nHost: perch.test\r\nContent-Length: " +
              std::to_string(kBytes) + "\r\n\r\n");
  client.send(std::string(kBytes, 'e'));
  std::size_t bytes = 0;
  const std::string head = client.read_to("\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ")) << head;
  for (;;) {
    const std::string size = client.read_to("\r\n");
    const auto chunk = std::stoul(size, nullptr, 16);
    const std::string data = client.read_to("\r\n");
    ASSERT_EQ(data.size(), chunk + 2);
    bytes += chunk;
    if (chunk == 0) break;
  }
  EXPECT_EQ(bytes, kBytes);
  rest();
}

TEST_P(Http1, ContinuesWhenTheBodyIsWanted) {
  server_.start();
  TextClient client(server_.port());
  const std::string expects =
      "HTTP/1.1\r\nHost: perch.test\r\nExpect: 100-continue\r\n"
      "Content-Length: 3\r\n\r\n";
  client.send("POST /echo " + expects);
  EXPECT_EQ(client.read_to("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  EXPECT_NE(client.read_to("0\r\n\r\n").find("\r\n3\r\nabc\r\n"), std::string::npos);
  rest();
  // No route: the final answer comes instead, and the body may or may not follow.
  client.send("POST /nowhere " + expects);
  const std::string refusal = client.read_response();
  EXPECT_TRUE(refusal.starts_with("HTTP/1.1 404 ")) << refusal;
  EXPECT_NE(refusal.find("connection: close\r\n"), std::string::npos) << refusal;
  EXPECT_TRUE(client.read_to_end());
}

TEST_P(Http1, NothingBehindAMistakeIsServed) {
  server_.start();
  TextClient client(server_.port());
  client.send("GET /hello HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n" + get("/hello"));
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.received.starts_with("HTTP/1.1 400 ")) << client.received;
  EXPECT_EQ(client.received.find("Hello, Perch"), std::string::npos);
  EXPECT_TRUE(server_.open(0));
  EXPECT_EQ(server_.statistics().connection_errors, 1u);
}

TEST_P(Http1, AClientThatHasSaidAllIsStillAnswered) {
  server_.start();
  TextClient client(server_.port());
  client.send(get("/hello") + get("/bytes/300000"));
  client.half_close();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_NE(client.received.find("Hello, Perch\n"), std::string::npos);
  EXPECT_TRUE(client.received.ends_with(std::string(300000, 'b')));
  EXPECT_TRUE(server_.open(0));
}

// The same where a handler has to read what has come.
TEST_P(Http1, ABodyFollowedByTheEndIsServed) {
  server_.start();
  for (const std::size_t size : {std::size_t{5}, std::size_t{1'000'000}}) {
    TextClient client(server_.port());
    client.send("POST /echo HTTP/1.1\r\nHost: perch.test\r\nContent-Length: " +
                std::to_string(size) + "\r\n\r\n" + std::string(size, 'e'));
    client.half_close();
    EXPECT_TRUE(client.read_to_end());
    EXPECT_GT(client.received.size(), size);
    EXPECT_TRUE(client.received.ends_with("0\r\n\r\n"));
  }
  EXPECT_TRUE(server_.open(0));
}

TEST_P(Http1, AHandlerIsCancelledWhenItsClientGoes) {
  server_.start();
  TextClient client(server_.port());
  client.send(get("/wait"));
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.close();
  EXPECT_TRUE(server_.open(0));
  EXPECT_TRUE(server_.waiting_handlers(0));
  EXPECT_EQ(server_.cancelled.load(), 1);
}

// The same with more input than the engine takes before the response.
TEST_P(Http1, AHandlerIsCancelledWhenAPipeliningClientGoes) {
  server_.start();
  TextClient client(server_.port());
  client.send(get("/wait") + get("/hello"));
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.send(get("/hello"));
  client.close();
  EXPECT_TRUE(server_.open(0));
  EXPECT_TRUE(server_.waiting_handlers(0));
}

TEST_P(Http1, DrainEndsIdleConnectionsAndFinishesOthers) {
  server_.start();
  TextClient idle(server_.port());
  TextClient busy(server_.port());
  idle.send(get("/hello"));
  EXPECT_TRUE(idle.read_response().ends_with("Hello, Perch\n"));
  busy.send(get("/wait"));
  ASSERT_TRUE(server_.waiting_handlers(1));
  std::thread drain(
      [&] { EXPECT_TRUE(server_.server().drain(Deadline::after(testing::kPatience))); });
  EXPECT_TRUE(idle.read_to_end());
  server_.gate = true;
  const std::string response = busy.read_response();
  EXPECT_TRUE(response.ends_with("released\n")) << response;
  EXPECT_NE(response.find("connection: close\r\n"), std::string::npos) << response;
  EXPECT_TRUE(busy.read_to_end());
  drain.join();
}

TEST_P(Http1, IdleConnectionsEndByTheirOwnTimeout) {
  ServerOptions quick = options();
  quick.http1_idle_timeout = std::chrono::milliseconds(200);
  TestServer server(quick);
  server.start();
  TextClient client(server.port());
  SocketClient other(server.port());  // HTTP/2's is longer
  other.handshake();
  EXPECT_EQ(other.fetch(1).status, "200");
  client.send(get("/hello"));
  EXPECT_TRUE(client.read_response().ends_with("Hello, Perch\n"));
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(client.received, "");
  EXPECT_EQ(other.fetch(3).status, "200");
}

TEST_P(Http1, FirstBytesMayBeEitherVersions) {
  server_.start();
  TextClient slow(server_.port());
  slow.send("P");
  TextClient put(server_.port());
  put.send("PUT /hello HTTP/1.1\r\nHost: perch.test\r\nContent-Length: 0\r\n\r\n");
  EXPECT_TRUE(put.read_response().starts_with("HTTP/1.1 405 "));
  slow.send("R");
  slow.send("I * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  slow.send(std::string_view("\0\0\0\4\0\0\0\0\0", 9));
  ASSERT_NE(slow.read_to(std::string_view("\0\0\0\4\1\0\0\0\0", 9)), "");  // SETTINGS, acknowledged
}

INSTANTIATE_TEST_SUITE_P(OnAndOff, Http1, ::testing::Bool(), [](const auto& run) {
  return run.param ? std::string("Parking") : std::string("Kept");
});

}  // namespace
}  // namespace perch::server
