// What TLS adds to a server. That everything else works over it as well is shown by running all
// tests of this program again with PERCH_TEST_TLS.
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"
#include "server/testing/text_client.h"

namespace perch::server {
namespace {

using testing::ClientOptions;
using testing::eventually;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;
using testing::TextClient;

class Tls : public ::testing::TestWithParam<int> {
 protected:
  explicit Tls(ServerOptions options = quick_options()) : server_(std::move(options)) {
    tls_.min_version = tls_.max_version = GetParam();
    tls_.server_name = "perch.test";
  }
  ClientOptions offering(std::vector<std::string> protocols) {
    tls_.alpn = std::move(protocols);
    ClientOptions options;
    options.tls = &tls_;
    return options;
  }
  void start() { server_.start_secure(TestServer::tls_context()); }

  tls::testing::ClientOptions tls_;
  TestServer server_;
};

TEST_P(Tls, AlpnChoosesTheVersion) {
  start();
  SocketClient h2(server_.port(), offering({"http/1.1", "h2"}));
  ASSERT_TRUE(h2.connected());
  EXPECT_EQ(h2.socket().tls().alpn(), "h2");
  h2.handshake();
  EXPECT_EQ(h2.fetch(1).body, "Hello, Perch\n");
  for (const std::vector<std::string>& offered :
       {std::vector<std::string>{"http/1.1"}, std::vector<std::string>{}}) {
    TextClient http1(server_.port(), offering(offered));
    ASSERT_TRUE(http1.connected());
    http1.send("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n");
    EXPECT_TRUE(http1.read_response().ends_with("Hello, Perch\n"));
  }
  EXPECT_EQ(server_.statistics().handshakes, 3u);
  TextClient neither(server_.port(), offering({"spdy/1"}));
  EXPECT_FALSE(neither.connected());
  EXPECT_EQ(neither.socket().tls().alert_received(), tls::Alert::kNoApplicationProtocol);
  EXPECT_TRUE(eventually([&] { return server_.statistics().failed_handshakes == 1; }));
}

TEST_P(Tls, ParksAndWakes) {
  start();
  SocketClient h2(server_.port(), offering({"h2"}));
  TextClient http1(server_.port(), offering({"http/1.1"}));
  h2.handshake();
  for (http2::StreamId stream = 1; stream < 40; stream += 2) {
    EXPECT_EQ(h2.fetch(stream).body, "Hello, Perch\n");
    http1.send("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n");
    EXPECT_TRUE(http1.read_response().ends_with("Hello, Perch\n"));
    ASSERT_TRUE(server_.parked(2));
  }
  EXPECT_GE(server_.statistics().wakes, 38u);
}

TEST_P(Tls, APartOfARecordKeepsAConnectionFromParking) {
  start();
  TextClient client(server_.port(), offering({"http/1.1"}));
  client.send("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n");
  EXPECT_TRUE(client.read_response().ends_with("Hello, Perch\n"));
  ASSERT_TRUE(server_.parked(1));
  client.socket().tls().send("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n");
  const std::vector<std::byte> record = client.socket().tls().take_output();
  ASSERT_EQ(::send(client.socket().fd(), record.data(), 10, 0), 10);
  ASSERT_TRUE(server_.parked(0));
  EXPECT_EQ(::send(client.socket().fd(), record.data() + 10, record.size() - 10, 0),
            static_cast<ssize_t>(record.size()) - 10);
  EXPECT_TRUE(client.read_response().ends_with("Hello, Perch\n"));
  ASSERT_TRUE(server_.parked(1));
}

TEST_P(Tls, LongBodiesBothWays) {
  start();
  SocketClient client(server_.port(), offering({"h2"}));
  client.handshake();
  client.open_windows();
  EXPECT_EQ(client.fetch(1, "/bytes/5000000").body, std::string(5'000'000, 'b'));
  client.script.request(3, testing::post("/echo"), false);
  for (int i = 0; i < 4; ++i) client.script.data(3, std::string(16'000, 'e'), i == 3);
  client.send();
  EXPECT_EQ(client.answer(3).body, std::string(64'000, 'e'));
}

TEST_P(Tls, EndsByACloseNotify) {
  start();
  SocketClient client(server_.port(), offering({"h2"}));
  client.handshake();
  EXPECT_EQ(client.fetch(1).status, "200");
  std::thread drain(
      [&] { EXPECT_TRUE(server_.server().drain(Deadline::after(testing::kPatience))); });
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(client.socket().tls().server_closed());
  drain.join();
}

TEST_P(Tls, TheClientsCloseNotifyEndsTheConnection) {
  start();
  TextClient client(server_.port(), offering({"http/1.1"}));
  client.send("GET /bytes/400000 HTTP/1.1\r\nHost: perch.test\r\n\r\n");
  client.socket().half_close();
  EXPECT_EQ(client.read_response().size() > 400'000, true);
  EXPECT_TRUE(client.read_to_end());
  EXPECT_TRUE(server_.open(0));
}

TEST_P(Tls, AClientInClearIsTold) {
  start();
  ClientOptions in_clear;
  in_clear.clear = true;
  TextClient client(server_.port(), in_clear);
  client.send("GET / HTTP/1.1\r\nHost: perch.test\r\n\r\n");
  EXPECT_TRUE(client.read_response().starts_with("HTTP/1.1 400 "));
  EXPECT_EQ(client.received, "");
  EXPECT_TRUE(client.read_to_end());
  EXPECT_EQ(server_.statistics().failed_handshakes, 1u);
}

TEST_P(Tls, ANewContextIsForNewConnections) {
  start();
  SocketClient old(server_.port(), offering({"h2"}));
  old.handshake();
  EXPECT_EQ(old.fetch(1).status, "200");
  const tls::testing::Folder folder;
  tls::ServerContextOptions options;
  tls::testing::CertificateSpec spec;
  spec.common_name = "the new one";
  spec.names = {"perch.test"};
  options.certificates = {folder.write("new", tls::testing::Authority().issue(spec))};
  server_.server().secure(tls::ServerContext::create(options).value());
  EXPECT_TRUE(eventually([&] {
    SocketClient fresh(server_.port(), offering({"h2"}));
    return fresh.socket().tls().peer_name() == "the new one";
  }));
  EXPECT_EQ(old.fetch(3).status, "200");
}

// A client may use a connection for another name only if the certificate is good for that as well.
TEST_P(Tls, MisdirectedRequestsAreToldSo) {
  start();
  tls_.server_name = "perch.test";
  TextClient client(server_.port(), offering({"http/1.1"}));
  const auto ask = [&](std::string_view host) {
    client.send("GET /hello HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n");
    return client.read_response().substr(9, 3);
  };
  EXPECT_EQ(ask("perch.test"), "200");
  EXPECT_EQ(ask("Perch.Test:8443"), "200");
  EXPECT_EQ(ask("another.test"), "421");
  EXPECT_EQ(ask("perch.test.another.test"), "421");
  EXPECT_EQ(ask("perch.test"), "200");
  // With a body, which is not taken for the next request.
  client.send("POST /echo HTTP/1.1\r\nHost: another.test\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(client.read_response().substr(9, 3), "421");
  EXPECT_EQ(ask("perch.test"), "200");
  // Opened for a name that no certificate has: then that is what is served.
  tls_.server_name = "unknown.test";
  TextClient other(server_.port(), offering({"http/1.1"}));
  other.send("GET /hello HTTP/1.1\r\nHost: unknown.test\r\n\r\n");
  EXPECT_EQ(other.read_response().substr(9, 3), "200");
}

class TlsLimits : public Tls {
 protected:
  static ServerOptions options() {
    ServerOptions options = quick_options();
    options.handshake_timeout = std::chrono::milliseconds(300);
    options.max_handshakes = 2;
    options.partial_frame_timeout = std::chrono::milliseconds(300);
    return options;
  }
  TlsLimits() : Tls(options()) {}
};

TEST_P(TlsLimits, HandshakesEndInTime) {
  start();
  ClientOptions in_clear;
  in_clear.clear = true;
  TextClient slow(server_.port(), in_clear);
  slow.send(std::string_view("\x16\x03\x01\x02\x00\x01", 6));
  EXPECT_TRUE(slow.read_to_end());
  EXPECT_EQ(server_.statistics().failed_handshakes, 1u);
  EXPECT_EQ(server_.statistics().connection_errors, 1u);
}

// A byte now and then keeps no connection open.
TEST_P(TlsLimits, RecordsEndInTime) {
  start();
  TextClient client(server_.port(), offering({"http/1.1"}));
  client.send("GET /hello HTTP/1.1\r\nHost: perch.test\r\n\r\n");
  EXPECT_TRUE(client.read_response().ends_with("Hello, Perch\n"));
  const std::string_view start_of_record("\x17\x03\x03\x40\x00", 5);
  ASSERT_EQ(::send(client.socket().fd(), start_of_record.data(), 5, 0), 5);
  EXPECT_TRUE(eventually([&] { return ::send(client.socket().fd(), "x", 1, MSG_NOSIGNAL) != 1; }));
  EXPECT_EQ(server_.statistics().connection_errors, 1u);
}

TEST_P(TlsLimits, SoManyHandshakesAtATime) {
  start();
  ClientOptions in_clear;
  in_clear.clear = true;
  TextClient first(server_.port(), in_clear);
  TextClient second(server_.port(), in_clear);
  first.send("\x16");
  second.send("\x16");
  ASSERT_TRUE(server_.open(2));
  TextClient third(server_.port(), in_clear);
  third.send("\x16");
  EXPECT_TRUE(third.read_to_end());
  EXPECT_GE(server_.statistics().refused, 1u);
  EXPECT_TRUE(first.read_to_end());
  EXPECT_TRUE(second.read_to_end());
  EXPECT_TRUE(server_.open(0));
  SocketClient later(server_.port(), offering({"h2"}));
  EXPECT_TRUE(later.connected());
}

const auto kVersions = ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION);
std::string version_name(const ::testing::TestParamInfo<int>& run) {
  return run.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
}
INSTANTIATE_TEST_SUITE_P(Versions, Tls, kVersions, version_name);
INSTANTIATE_TEST_SUITE_P(Versions, TlsLimits, kVersions, version_name);

}  // namespace
}  // namespace perch::server
