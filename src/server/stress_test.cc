// Clients that connect, request, pause, reset, half-close and vanish at random, until each has
// lived many short lives. In the end nothing may be left of them.
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using testing::get;
using testing::post;
using testing::quick_options;
using testing::SocketClient;
using testing::TestServer;

constexpr unsigned kThreads = 4;
constexpr int kLives = 150;

class RandomClient {
 public:
  RandomClient(std::uint16_t port, unsigned seed) : port_(port), random_(seed) {}

  void live() {
    SocketClient client(port_, {.receive_buffer = one_in(4) ? 4096 : 0});
    if (!client.connected() || one_in(16)) return;
    if (one_in(16)) {
      client.send_bytes(as_bytes(http2::kClientPreface.substr(0, below(24))));
      return end(client);
    }
    client.handshake();
    const bool open = one_in(2);
    if (open) client.open_windows();
    http2::StreamId stream = 1;
    for (unsigned steps = below(8); steps > 0; --steps, stream += 2) {
      step(client, stream);
      if (one_in(2) && !flush(client)) break;
    }
    if (open && one_in(2)) {  // else what came before may have used the windows up
      client.script.request(stream, get("/hello"));
      if (flush(client)) client.answer(stream);
    }
    EXPECT_EQ(client.script.violation(), "");
    end(client);
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  bool one_in(unsigned times) { return below(times) == 0; }

  void step(SocketClient& client, http2::StreamId stream) {
    switch (below(10)) {
      case 0:
        return client.script.request(stream, get("/bytes/200000"));
      case 1:
        return client.script.request(stream, get("/wait"));
      case 2:
        client.script.request(stream, get("/wait"));
        return client.script.reset(stream);
      case 3:
        client.script.request(stream, post("/echo"), false);
        client.script.data(stream, std::string(below(20'000), 'd'), one_in(2));
        return;
      case 4:
        client.script.request(stream, post("/echo"), false);
        client.script.data(stream, "then");
        return client.script.trailers(stream, {{"x-end", "yes"}});
      case 5:
        return client.script.ping();
      case 6:
        client.script.request(stream, post("/echo"), false);
        return client.script.reset(stream);
      case 7:
        std::this_thread::sleep_for(std::chrono::milliseconds(below(4)));  // long enough to park
        return;
      default:
        return client.script.request(stream, get("/hello"));
    }
  }

  // Maybe in two parts, with a pause in between.
  bool flush(SocketClient& client) {
    const std::vector<std::byte> bytes = client.script.take_output();
    if (bytes.empty()) return client.read_available();
    const std::size_t cut = one_in(3) ? below(static_cast<unsigned>(bytes.size())) : 0;
    const auto all = std::span<const std::byte>(bytes);
    if (!client.send_bytes(all.first(cut))) return false;
    if (cut > 0) std::this_thread::sleep_for(std::chrono::microseconds(below(3000)));
    return client.send_bytes(all.subspan(cut)) && client.read_available();
  }

  void end(SocketClient& client) {
    switch (below(4)) {
      case 0:
        return client.kill();
      case 1:
        client.half_close();
        client.read_to_end();
        return;
      case 2:
        client.script.frames().goaway(0, http2::ErrorCode::kNoError);
        client.send();
        return;
      default:
        return;
    }
  }

  std::uint16_t port_;
  std::minstd_rand random_;
};

void live_many_lives(ServerOptions options) {
  options.workers = 2;
  TestServer server(options);
  server.start();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      RandomClient client(server.port(), i + 1);
      for (int life = 0; life < kLives; ++life) client.live();
    });
  }
  for (std::thread& thread : threads) thread.join();
  constexpr std::uint64_t kConnections = std::uint64_t{kThreads} * kLives;
  EXPECT_TRUE(testing::eventually([&] { return server.statistics().accepted == kConnections; }));
  EXPECT_TRUE(server.open(0));
  EXPECT_TRUE(server.waiting_handlers(0));
  const ServerStatistics statistics = server.statistics();
  EXPECT_EQ(statistics.parked, 0u);
  EXPECT_EQ(statistics.parked_record_bytes, 0u);
  SocketClient after(server.port());
  after.handshake();
  EXPECT_EQ(after.fetch(1).body, "Hello, Perch\n");
}

TEST(Stress, NothingIsLeftOfRandomClients) { live_many_lives(quick_options()); }

TEST(Stress, NothingIsLeftOfThemWithoutParking) { live_many_lives(testing::unparked_options()); }

}  // namespace
}  // namespace perch::server
