// The slab heap's stand-in under AddressSanitizer: each object is a block of its own, so that use
// after free, overruns and leaks are found. Counts are kept as the slabs would keep them.
#include "memory/sanitizer.h"
#include "perch/memory/slab.h"

#if PERCH_ADDRESS_SANITIZER

#include <atomic>

#include "memory/heap_registry.h"
#include "memory/slab_classes.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {

// Counts the objects that one thread allocated, whichever thread frees them.
struct Tally {
  std::atomic<std::size_t> objects{0};
  std::atomic<std::size_t> bytes{0};
  Tally* next_idle = nullptr;
};

struct alignas(kSlabAlignment) Header {
  Tally* tally;
};

constinit HeapRegistry<Tally> idle_tallies;
constinit thread_local Tally* this_tally = nullptr;
constinit thread_local bool thread_is_ending = false;

struct TallyLease {
  TallyLease() { this_tally = idle_tallies.adopt(); }
  ~TallyLease() {
    thread_is_ending = true;
    idle_tallies.leave(std::exchange(this_tally, nullptr));
  }
};

// Tallies are atomic, so a thread that is ending may count on one that it does not own.
Tally* tally_of_this_thread() {
  if (this_tally == nullptr && thread_is_ending) {
    Tally* tally = idle_tallies.adopt();
    idle_tallies.leave(tally);
    return tally;
  }
  thread_local const TallyLease lease;
  return this_tally;
}

}  // namespace

void* allocate(std::size_t size) {
  if (size > kMaxSlabSize) return ::operator new(size);
  auto* header = static_cast<Header*>(::operator new(sizeof(Header) + size));
  header->tally = tally_of_this_thread();
  const std::size_t bytes = kSlabClassBytes[slab_class_of(size)];
  header->tally->objects.fetch_add(1, std::memory_order_relaxed);
  header->tally->bytes.fetch_add(bytes, std::memory_order_relaxed);
  account(MemoryClass::kTaskFrames, static_cast<std::int64_t>(bytes));
  forbid_access(header, sizeof(Header));
  return header + 1;
}

void deallocate(void* object, std::size_t size) noexcept {
  if (size > kMaxSlabSize) {
    ::operator delete(object);
    return;
  }
  Header* header = static_cast<Header*>(object) - 1;
  permit_access(header, sizeof(Header));
  const std::size_t bytes = kSlabClassBytes[slab_class_of(size)];
  header->tally->objects.fetch_sub(1, std::memory_order_relaxed);
  header->tally->bytes.fetch_sub(bytes, std::memory_order_relaxed);
  account(MemoryClass::kTaskFrames, -static_cast<std::int64_t>(bytes));
  ::operator delete(header);
}

SlabStatistics slab_statistics() {
  if (this_tally == nullptr) return {};
  const std::size_t bytes = this_tally->bytes.load(std::memory_order_relaxed);
  return {this_tally->objects.load(std::memory_order_relaxed), bytes, bytes};
}

std::size_t trim_slabs() { return 0; }

}  // namespace perch::memory

#endif
