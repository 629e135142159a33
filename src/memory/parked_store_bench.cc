#include <array>
#include <vector>

#include <benchmark/benchmark.h>

#include "perch/memory/parked_store.h"

namespace {

using perch::memory::ParkedStore;
using perch::memory::RecordId;

constexpr std::array<std::byte, 120> kRecord{};

// A lone connection that parks and wakes.
void BM_PutErase(benchmark::State& state) {
  ParkedStore store;
  for (auto _ : state) store.erase(store.put(kRecord));
}
BENCHMARK(BM_PutErase);

// Waking and parking among many parked connections, far apart in memory.
void BM_EraseAndPutAmongMany(benchmark::State& state) {
  ParkedStore store;
  std::vector<RecordId> ids(static_cast<std::size_t>(state.range(0)));
  for (RecordId& id : ids) id = store.put(kRecord);
  std::size_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % ids.size();
    store.erase(ids[at]);
    ids[at] = store.put(kRecord);
  }
}
BENCHMARK(BM_EraseAndPutAmongMany)->Arg(19'000)->Arg(1'000'000);

void BM_Get(benchmark::State& state) {
  ParkedStore store;
  std::vector<RecordId> ids(static_cast<std::size_t>(state.range(0)));
  for (RecordId& id : ids) id = store.put(kRecord);
  std::size_t at = 0;
  for (auto _ : state) {
    at = (at + 7919) % ids.size();
    benchmark::DoNotOptimize(store.get(ids[at]).front());
  }
}
BENCHMARK(BM_Get)->Arg(19'000)->Arg(1'000'000);

}  // namespace
