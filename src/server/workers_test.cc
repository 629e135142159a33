// Several workers.
#include <array>

#include <gtest/gtest.h>

#include "perch/task/worker.h"
#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;

constexpr std::size_t kWorkers = 4;

ServerOptions four_workers() {
  ServerOptions options = quick_options();
  options.workers = kWorkers;
  return options;
}

TEST(Workers, ShareTheConnections) {
  constexpr std::size_t kClients = 400;
  TestServer server(four_workers());
  server.get("/worker", [](http::Request) -> task::Task<http::Response> {
    co_return http::Response::text(std::to_string(task::Worker::current()->index()));
  });
  server.start();
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (std::size_t i = 0; i < kClients; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server.port()));
    ASSERT_TRUE(clients.back()->connected());
  }
  ASSERT_TRUE(server.open(kClients));
  std::array<std::size_t, kWorkers> share{};
  std::vector<std::string> worker_of(kClients);
  for (std::size_t i = 0; i < kClients; ++i) {
    clients[i]->handshake();
    worker_of[i] = clients[i]->fetch(1, "/worker").body;
    ++share[std::stoul(worker_of[i])];
  }
  for (const std::size_t connections : share) EXPECT_LE(connections, 2 * kClients / kWorkers);
  ASSERT_TRUE(server.parked(kClients));
  for (std::size_t i = 0; i < kClients; ++i) {
    EXPECT_EQ(clients[i]->fetch(3, "/worker").body, worker_of[i]) << "one worker for life";
  }
  const ServerStatistics statistics = server.statistics();
  EXPECT_EQ(statistics.accepted, kClients);
  EXPECT_EQ(statistics.requests, 2 * kClients);
  EXPECT_EQ(statistics.open, kClients);
  ASSERT_TRUE(server.parked(kClients));
  EXPECT_EQ(server.statistics().parked_at_most, kClients);
  for (const auto& client : clients) client->close();
  EXPECT_TRUE(server.open(0));
  EXPECT_EQ(server.statistics().parked, 0u);
  EXPECT_EQ(server.statistics().parked_record_bytes, 0u);
  EXPECT_EQ(server.statistics().connection_errors, 0u);
}

// Handed-over connections may be on their way when everything ends.
TEST(Workers, EndWhileConnectionsArrive) {
  for (int round = 0; round < 10; ++round) {
    TestServer server(four_workers());
    server.start();
    std::vector<std::unique_ptr<SocketClient>> clients;
    for (int i = 0; i < 60; ++i) {
      clients.push_back(std::make_unique<SocketClient>(server.port()));
      if (i % 2 == 0) clients.back()->handshake();
    }
    if (round % 2 == 0) {
      server.server().drain(Deadline::after(std::chrono::milliseconds(20)));
      EXPECT_EQ(server.statistics().open, 0u);
    } else {
      server.destroy();
    }
    for (const auto& client : clients) EXPECT_TRUE(client->read_to_end());
  }
}

}  // namespace
}  // namespace perch::server
