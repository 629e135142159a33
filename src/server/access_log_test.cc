// What the access log is told: one record for each request, whatever its way through the server.
#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"
#include "server/testing/text_client.h"

namespace perch::server {
namespace {

using testing::eventually;
using testing::get;
using testing::SocketClient;
using testing::TestServer;
using testing::TextClient;

struct Told {
  std::string request;  // "GET /hello HTTP/2.0"
  std::string remote, authority, agent, referer, tls;
  int status;
  std::uint64_t bytes;
  http::StreamEnd end;
};

class AccessLogTest : public ::testing::Test {
 protected:
  AccessLogTest() : server_(options()) { server_.start(); }

  ServerOptions options() {
    ServerOptions options = testing::quick_options();
    options.access_log = [this](const AccessRecord& record) {
      const std::lock_guard lock(mutex_);
      EXPECT_GE(record.duration, Duration::zero());
      told_.push_back({std::string(record.method) + " " + std::string(record.target) + " " +
                           std::string(record.version),
                       std::string(record.remote), std::string(record.authority),
                       std::string(record.user_agent), std::string(record.referer),
                       std::string(record.tls_version), record.status, record.body_bytes,
                       record.end});
    };
    return options;
  }

  // All there are, once there are so many.
  std::vector<Told> told(std::size_t count) {
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock(mutex_);
      return told_.size() >= count;
    }));
    const std::lock_guard lock(mutex_);
    return told_;
  }

  std::mutex mutex_;
  std::vector<Told> told_;
  TestServer server_;
};

TEST_F(AccessLogTest, TellsOfARequestThatIsAnsweredAtOnce) {
  SocketClient client(server_.port());
  client.handshake();
  EXPECT_EQ(client.fetch(1, "/hello?x=1", {{"user-agent", "a/1"}, {"referer", "r"}}).status, "200");
  EXPECT_EQ(client.fetch(3, "/missing").status, "404");
  const auto records = told(2);
  EXPECT_EQ(records[0].request, "GET /hello?x=1 HTTP/2.0");
  EXPECT_EQ(records[0].remote, "127.0.0.1");
  EXPECT_EQ(records[0].agent, "a/1");
  EXPECT_EQ(records[0].referer, "r");
  EXPECT_EQ(records[0].tls, "");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].bytes, 13u);
  EXPECT_EQ(records[0].end, http::StreamEnd::kComplete);
  EXPECT_EQ(records[1].status, 404);
}

TEST_F(AccessLogTest, TellsOfPipelinedRequestsInOrder) {
  TextClient client(server_.port());
  client.send(
      "GET /hello HTTP/1.1\r\nHost: a.test\r\n\r\n"
      "HEAD /bytes/100000 HTTP/1.1\r\nHost: b.test\r\n\r\n"
      "GET /bytes/100000 HTTP/1.1\r\nHost: c.test\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(client.read_to_end());
  const auto records = told(3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_EQ(records[0].request, "GET /hello HTTP/1.1");
  EXPECT_EQ(records[0].authority, "a.test");
  EXPECT_EQ(records[0].bytes, 13u);
  EXPECT_EQ(records[1].request, "HEAD /bytes/100000 HTTP/1.1");
  EXPECT_EQ(records[1].bytes, 0u);
  EXPECT_EQ(records[2].bytes, 100000u);
  // What the client got is what it would have got without a log.
  EXPECT_EQ(std::ranges::count(client.received, 'b') >= 100000, true);
  EXPECT_NE(client.received.find("content-length: 100000\r\n"), std::string::npos);
}

TEST_F(AccessLogTest, CountsAStreamedBody) {
  TextClient client(server_.port());
  client.send("POST /echo HTTP/1.1\r\nHost: a.test\r\nContent-Length: 5\r\n\r\nabcde");
  const auto records = told(1);
  EXPECT_EQ(records[0].request, "POST /echo HTTP/1.1");
  EXPECT_EQ(records[0].status, 200);
  EXPECT_EQ(records[0].bytes, 5u);
}

TEST_F(AccessLogTest, TellsOfARequestThatWasGivenUp) {
  SocketClient client(server_.port());
  client.handshake();
  client.script.request(1, get("/wait"), true);
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.script.reset(1);
  client.send();
  const auto records = told(1);
  EXPECT_EQ(records[0].request, "GET /wait HTTP/2.0");
  EXPECT_EQ(records[0].status, 0);
  EXPECT_EQ(records[0].bytes, 0u);
  EXPECT_EQ(records[0].end, http::StreamEnd::kReset);
}

TEST_F(AccessLogTest, TellsOfARequestWhoseConnectionWasLost) {
  TextClient client(server_.port());
  client.send("GET /wait HTTP/1.1\r\nHost: a.test\r\n\r\n");
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.close();
  const auto records = told(1);
  EXPECT_EQ(records[0].status, 0);
  EXPECT_EQ(records[0].remote, "127.0.0.1");
  EXPECT_EQ(records[0].end, http::StreamEnd::kFailed);
}

}  // namespace
}  // namespace perch::server
