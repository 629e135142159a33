#include "perch/memory/slab.h"

#include "memory/sanitizer.h"
#include "perch/base/check.h"

#if !PERCH_ADDRESS_SANITIZER  // else slab_forward.cc

#include "memory/heap_registry.h"
#include "memory/slab_heap.h"

namespace perch::memory {
namespace {

constinit HeapRegistry<SlabHeap> idle_heaps;

// Trivial and constant-initialised: reading it is one instruction, without a guard. Null before the
// thread's first allocation and after its thread_local destructors have begun.
[[gnu::tls_model("initial-exec")]] constinit thread_local SlabHeap* this_heap = nullptr;
constinit thread_local bool thread_is_ending = false;

// Leaves the heap behind when the thread ends.
struct HeapLease {
  HeapLease() {
    this_heap = idle_heaps.adopt();
    // Whatever other threads freed while the heap had no thread.
    this_heap->trim();
  }
  ~HeapLease() {
    thread_is_ending = true;
    this_heap->trim();
    idle_heaps.leave(std::exchange(this_heap, nullptr));
  }
};

[[gnu::noinline]] void* allocate_without_heap(std::size_t size) noexcept {
  if (thread_is_ending) {
    // Called by another thread_local's destructor: borrow a heap for this one object.
    SlabHeap* heap = idle_heaps.adopt();
    void* object = heap->allocate(size);
    idle_heaps.leave(heap);
    return object;
  }
  thread_local const HeapLease lease;
  return this_heap->allocate(size);
}

[[gnu::noinline]] void* allocate_large(std::size_t size) noexcept {
  void* object = ::operator new(size, std::nothrow);
  PERCH_CHECK(object != nullptr);
  return object;
}

}  // namespace

void* allocate(std::size_t size) {
  if (size > kMaxSlabSize) [[unlikely]] {
    return allocate_large(size);
  }
  SlabHeap* heap = this_heap;
  if (heap == nullptr) [[unlikely]] {
    return allocate_without_heap(size);
  }
  return heap->allocate(size);
}

void deallocate(void* object, std::size_t size) noexcept {
  if (size > kMaxSlabSize) [[unlikely]] {
    ::operator delete(object);
    return;
  }
  SlabChunk* chunk = SlabChunk::of(object);
  if (chunk->heap == this_heap) [[likely]] {
    chunk->heap->free_locally(chunk, object);
  } else {
    chunk->heap->free_remotely(object);
  }
}

SlabStatistics slab_statistics() {
  return this_heap == nullptr ? SlabStatistics{} : this_heap->statistics();
}

std::size_t trim_slabs() { return this_heap == nullptr ? 0 : this_heap->trim(); }

}  // namespace perch::memory

#endif
