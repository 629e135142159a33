// What a TLS connection costs while it idles, to set up, and a byte that passes it.
//
// Idle connections are counted by resident memory, after a handshake, a request and an answer, with
// the client's objects freed.
#include <malloc.h>
#include <unistd.h>

#include <deque>
#include <fstream>

#include <benchmark/benchmark.h>

#include "perch/base/check.h"
#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using testing::ClientOptions;
using testing::Pair;

constexpr int kIdleConnections = 2000;

ClientOptions client_of(benchmark::State& state) {
  ClientOptions options;
  options.max_version = state.range(0) == 12 ? TLS1_2_VERSION : TLS1_3_VERSION;
  options.min_version = options.max_version;
  options.server_name = "localhost";
  options.alpn = {"h2"};
  return options;
}

std::size_t resident_bytes() {
  malloc_trim(0);
  std::size_t total = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

struct Discard final : Sink {
  void on_plaintext(std::span<const std::byte> plaintext) override { bytes += plaintext.size(); }
  std::size_t bytes = 0;
};

// A connection whose client is gone, with a request and an answer behind it.
std::unique_ptr<Connection> idle_connection(const std::shared_ptr<const ServerContext>& context,
                                            const ClientOptions& options) {
  auto server = std::make_unique<Connection>(context);
  testing::Client client(options);
  Discard sink;
  std::vector<std::byte> out;
  for (int flight = 0; flight < 3; ++flight) {
    if (flight == 2) client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    server->receive(client.take_output(), sink, out);
    client.receive(std::exchange(out, {}));
  }
  PERCH_CHECK(client.connected() && sink.bytes != 0);
  PERCH_CHECK(server->seal(as_bytes("HTTP/1.1 204 No Content\r\n\r\n"), out));
  return server;
}

void BM_IdleConnections(benchmark::State& state) {
  const auto context = testing::localhost_context();
  const ClientOptions options = client_of(state);
  for (int i = 0; i < 50; ++i) idle_connection(context, options);
  for (auto _ : state) {
    std::deque<std::unique_ptr<Connection>> connections;
    const std::size_t before = resident_bytes();
    for (int i = 0; i < kIdleConnections; ++i) {
      connections.push_back(idle_connection(context, options));
    }
    const double grown = static_cast<double>(resident_bytes()) - static_cast<double>(before);
    state.counters["bytes_per_connection"] = grown / kIdleConnections;
  }
}
BENCHMARK(BM_IdleConnections)
    ->ArgName("tls")
    ->Arg(12)
    ->Arg(13)
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Both sides; a client's share is about the half.
void BM_Handshake(benchmark::State& state) {
  const auto context = testing::localhost_context();
  const ClientOptions options = client_of(state);
  ClientOptions resuming = options;
  Pair first(context, options);
  first.exchange();
  if (state.range(1) != 0) resuming.session = first.client.sessions().back().get();
  for (auto _ : state) {
    Pair pair(context, resuming);
    pair.exchange();
    PERCH_CHECK(pair.server.state() == Connection::State::kOpen);
    PERCH_CHECK(pair.server.resumed() == (state.range(1) != 0));
  }
  state.counters["handshakes_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_Handshake)->ArgNames({"tls", "resumed"})->ArgsProduct({{12, 13}, {0, 1}});

// The server's share alone: time inside `receive`.
void BM_HandshakeServerSide(benchmark::State& state) {
  const auto context = testing::localhost_context();
  const ClientOptions options = client_of(state);
  Discard sink;
  for (auto _ : state) {
    testing::Client client(options);
    std::vector<std::byte> out;
    double seconds = 0;
    auto start = std::chrono::steady_clock::now();
    auto server = std::make_unique<Connection>(context);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    while (!client.connected() || server->state() != Connection::State::kOpen) {
      const auto bytes = client.take_output();
      start = std::chrono::steady_clock::now();
      server->receive(bytes, sink, out);
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      client.receive(std::exchange(out, {}));
    }
    state.SetIterationTime(seconds);
  }
  state.counters["handshakes_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(BM_HandshakeServerSide)->ArgName("tls")->Arg(12)->Arg(13)->UseManualTime();

void BM_Seal(benchmark::State& state) {
  Pair pair(testing::localhost_context());
  pair.exchange();
  const std::vector<std::byte> plaintext(static_cast<std::size_t>(state.range(0)));
  std::vector<std::byte> out;
  for (auto _ : state) {
    out.clear();
    PERCH_CHECK(pair.server.seal(plaintext, out));
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Seal)->Arg(60)->Arg(1024)->Arg(16 * 1024)->Arg(64 * 1024);

void BM_Open(benchmark::State& state) {
  Pair pair(testing::localhost_context());
  pair.exchange();
  const std::string plaintext(static_cast<std::size_t>(state.range(0)), 'x');
  Discard sink;
  std::vector<std::byte> out;
  for (auto _ : state) {
    state.PauseTiming();
    pair.client.send(plaintext);
    const auto bytes = pair.client.take_output();
    state.ResumeTiming();
    pair.server.receive(bytes, sink, out);
  }
  PERCH_CHECK(sink.bytes == static_cast<std::size_t>(state.iterations() * state.range(0)));
  state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Open)->Arg(1024)->Arg(16 * 1024)->Arg(64 * 1024);

}  // namespace
}  // namespace perch::tls
