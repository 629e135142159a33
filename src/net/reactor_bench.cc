#include <sys/socket.h>
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "perch/net/reactor.h"

namespace perch::net {
namespace {

struct CountingSink final : EventSink {
  void on_io(std::uint32_t, std::uint32_t, IoEvents) noexcept override { ++count; }
  int count = 0;
};

void empty_poll(benchmark::State& state) {
  std::unique_ptr<Reactor> reactor = *Reactor::create();
  for (auto _ : state) reactor->poll(Duration::zero());
}
BENCHMARK(empty_poll);

void wake_and_poll(benchmark::State& state) {
  std::unique_ptr<Reactor> reactor = *Reactor::create();
  for (auto _ : state) {
    reactor->wake();
    reactor->poll(Duration::zero());
  }
}
BENCHMARK(wake_and_poll);

// A byte is written and its edge delivered; the byte is not read.
void edge_delivery(benchmark::State& state) {
  std::unique_ptr<Reactor> reactor = *Reactor::create();
  CountingSink sink;
  reactor->set_sink(SinkId::kConnection, &sink);
  int fds[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds) != 0) return;
  UniqueFd ours(fds[0]);
  UniqueFd theirs(fds[1]);
  (void)reactor->add(ours.get(), {SinkId::kConnection, 0, 0}, IoInterest::connection());
  char byte = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(write(theirs.get(), &byte, 1));
    reactor->poll(Duration::zero());
    benchmark::DoNotOptimize(read(ours.get(), &byte, 1));
  }
}
BENCHMARK(edge_delivery);

}  // namespace
}  // namespace perch::net
