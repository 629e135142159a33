#include <cstdlib>
#include <vector>

#include <benchmark/benchmark.h>

#include "perch/memory/slab.h"

namespace {

struct Slab {
  static void* allocate(std::size_t size) { return perch::memory::allocate(size); }
  static void free(void* object, std::size_t size) { perch::memory::deallocate(object, size); }
};

struct Malloc {
  static void* allocate(std::size_t size) { return std::malloc(size); }
  static void free(void* object, std::size_t) { std::free(object); }
};

// One object at a time: the fast path alone.
template <class Heap>
void BM_Pair(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* object = Heap::allocate(size);
    benchmark::DoNotOptimize(object);
    Heap::free(object, size);
  }
}
BENCHMARK(BM_Pair<Slab>)->Arg(88)->Arg(1000);
BENCHMARK(BM_Pair<Malloc>)->Arg(88)->Arg(1000);

// Many objects alive, as with parked tasks: chunks fill up and run empty. Time is per pair.
template <class Heap>
void BM_Batch(benchmark::State& state) {
  const std::size_t size = 88;
  std::vector<void*> objects(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    for (void*& object : objects) object = Heap::allocate(size);
    for (void* object : objects) Heap::free(object, size);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Batch<Slab>)->Arg(1000)->Arg(100'000);
BENCHMARK(BM_Batch<Malloc>)->Arg(1000)->Arg(100'000);

}  // namespace
