#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using testing::Answer;
using testing::get;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;

TEST(Limits, AConnectionTooManyIsToldSo) {
  ServerOptions options = quick_options();
  options.max_connections = 2;
  TestServer server(options);
  server.start();
  EXPECT_EQ(server.server().max_connections(), 2u);
  SocketClient first(server.port());
  SocketClient second(server.port());
  ASSERT_TRUE(server.open(2));
  SocketClient third(server.port());
  EXPECT_TRUE(third.read_to_end());
  EXPECT_EQ(third.story(), "SETTINGS; GOAWAY 0 ENHANCE_YOUR_CALM");
  EXPECT_EQ(server.statistics().refused, 1u);
  EXPECT_EQ(server.statistics().accepted, 2u);

  second.close();
  ASSERT_TRUE(server.open(1));
  SocketClient fourth(server.port());
  fourth.handshake();
  EXPECT_EQ(fourth.fetch(1).status, "200");
  first.handshake();
  EXPECT_EQ(first.fetch(1).status, "200");
}

// Sockets that wait to be connected: later no descriptor may be needed for that.
class Sockets {
 public:
  explicit Sockets(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      fds_.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    }
  }
  void connect(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (const net::UniqueFd& fd : fds_) {
      EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
                0);
    }
  }

 private:
  std::vector<net::UniqueFd> fds_;
};

TEST(Limits, WithoutDescriptorsAcceptingPausesAndRecovers) {
  constexpr std::size_t kSockets = 20;
  TestServer server;
  server.start();
  Sockets sockets(kSockets);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const int free = ::dup(STDOUT_FILENO);
  ::close(free);
  rlimit few = before;
  few.rlim_cur = static_cast<rlim_t>(free) + 5;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  sockets.connect(server.port());
  EXPECT_TRUE(testing::eventually(
      [&] { return server.log().find("out of descriptors") != std::string::npos; }));
  EXPECT_EQ(server.statistics().accepted, 5u);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(server.open(kSockets));
  EXPECT_EQ(server.statistics().refused, 0u);
}

TEST(Limits, AStreamTooManyIsRefused) {
  ServerOptions options = quick_options();
  options.http2.max_concurrent_streams = 2;
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  for (const http2::StreamId stream : {1u, 3u, 5u}) client.script.request(stream, get("/wait"));
  client.send();
  EXPECT_TRUE(client.read_frame("RST_STREAM 5 REFUSED_STREAM"));
  EXPECT_TRUE(server.waiting_handlers(2));
  server.gate = true;
  EXPECT_EQ(client.answer(1).body, "released\n");
  EXPECT_EQ(client.answer(3).body, "released\n");
  EXPECT_EQ(client.fetch(7).body, "Hello, Perch\n");
}

TEST(Limits, TheHandlerOfAResetStreamCountsUntilItEnds) {
  ServerOptions options = quick_options();
  options.http2.max_concurrent_streams = 2;
  TestServer server(options);
  server.start();
  SocketClient client(server.port());
  client.handshake();
  client.script.request(1, get("/linger"));
  client.script.request(3, get("/linger"));
  client.send();
  ASSERT_TRUE(server.waiting_handlers(2));
  client.script.reset(1);
  client.script.reset(3);
  client.script.request(5, get("/hello"));
  client.send();
  EXPECT_TRUE(client.answer(5).reset);
  EXPECT_EQ(client.answer(5).error, http2::ErrorCode::kRefusedStream);
  server.gate = true;
  ASSERT_TRUE(server.waiting_handlers(0));
  EXPECT_EQ(client.fetch(7).body, "Hello, Perch\n");
  EXPECT_TRUE(server.parked(1));
}

TEST(Limits, ResetsWithLingeringHandlersAreBounded) {
  TestServer server;
  server.start();
  SocketClient client(server.port());
  client.handshake();
  for (http2::StreamId stream = 1; stream < 600; stream += 2) {
    client.script.request(stream, get("/wait"));
    client.script.reset(stream);
  }
  client.send();
  EXPECT_TRUE(client.read_to_end());
  EXPECT_NE(client.story().find("ENHANCE_YOUR_CALM"), std::string::npos);
  client.close();
  EXPECT_TRUE(server.open(0));
  EXPECT_TRUE(server.waiting_handlers(0));
  EXPECT_LE(server.statistics().requests, 128u);
}

TEST(Limits, AnHttp1ClientTooManyIsToldSoInItsOwnTongue) {
  ServerOptions options = quick_options();
  options.max_connections = 1;
  TestServer server(options);
  server.start();
  SocketClient first(server.port());
  ASSERT_TRUE(server.open(1));
  // Its request may reach the server after the refusal: then it is taken for HTTP/2's.
  for (int attempt = 0; attempt < 100; ++attempt) {
    SocketClient second(server.port());
    second.send_bytes(as_bytes("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n"));
    char text[512] = {};
    if (::recv(second.fd(), text, sizeof(text) - 1, 0) <= 0) continue;
    if (!std::string_view(text).starts_with("HTTP/1.1 ")) continue;
    EXPECT_TRUE(std::string_view(text).starts_with("HTTP/1.1 503 ")) << text;
    EXPECT_NE(std::string_view(text).find("retry-after: 10\r\n"), std::string_view::npos);
    return;
  }
  FAIL() << "not once in a hundred attempts";
}

}  // namespace
}  // namespace perch::server
