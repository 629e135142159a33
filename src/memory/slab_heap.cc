#include "memory/slab_heap.h"

#include <new>

#include "memory/mapping.h"
#include "perch/base/check.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {

constexpr std::size_t kReservationBytes = std::size_t{4} << 20;
constexpr std::size_t kCachedEmptyChunks = 16;

// Stands for "no chunk" in a bin, so that the fast path has one test. Only ever read.
constinit SlabChunk no_chunk;

}  // namespace

SlabHeap::SlabHeap() {
  for (Bin& bin : bins_) bin.current = &no_chunk;
}

void* SlabHeap::carve(Bin& bin) noexcept {
  if (bin.current->carved == bin.current->capacity) replace_current(bin);
  SlabChunk* chunk = bin.current;
  ++chunk->references;
  if (chunk->free == nullptr) return chunk->carve();
  FreeObject* object = chunk->free;
  chunk->free = object->next;
  return object;
}

// Finds a chunk with room to allocate from, cheapest source first.
void SlabHeap::replace_current(Bin& bin) noexcept {
  if (bin.current != &no_chunk) {
    bin.current->full = true;
    --bin.current->references;
    bin.current = &no_chunk;
  }
  drain_remote();
  SlabChunk* chunk;
  if (!bin.with_room.empty()) {
    // The one that has had room longest: those freed into just now get time to run empty.
    chunk = &bin.with_room.pop_front();
  } else {
    chunk = fresh_chunk(static_cast<std::size_t>(&bin - bins_.data()));
  }
  ++chunk->references;
  bin.current = chunk;
}

// Files a chunk that stopped being full or just ran empty.
void SlabHeap::relist(SlabChunk* chunk) noexcept {
  if (chunk->references == 0) {
    chunk->unlink();
    if (empties_ == kCachedEmptyChunks) {
      give_back(chunk);
    } else {
      empty_.push_back(*chunk);
      ++empties_;
    }
  } else {
    chunk->full = false;
    bins_[chunk->slab_class].with_room.push_back(*chunk);
  }
}

void SlabHeap::free_remotely(void* memory) noexcept {
  auto* object = static_cast<FreeObject*>(memory);
  FreeObject* head = remote_.load(std::memory_order_relaxed);
  do {
    object->next = head;
  } while (!remote_.compare_exchange_weak(head, object, std::memory_order_release,
                                          std::memory_order_relaxed));
}

void SlabHeap::drain_remote() noexcept {
  if (remote_.load(std::memory_order_relaxed) == nullptr) return;
  FreeObject* object = remote_.exchange(nullptr, std::memory_order_acquire);
  while (object != nullptr) {
    FreeObject* next = object->next;
    free_locally(SlabChunk::of(object), object);
    object = next;
  }
}

SlabChunk* SlabHeap::fresh_chunk(std::size_t slab_class) noexcept {
  void* memory;
  if (!empty_.empty()) {
    memory = &empty_.pop_front();
    --empties_;
  } else {
    if (decommitted_.empty()) reserve_chunks();
    memory = decommitted_.back();
    decommitted_.pop_back();
    ++committed_chunks_;
    account(MemoryClass::kTaskFrames, kChunkBytes);
  }
  auto* chunk = ::new (memory) SlabChunk;
  chunk->heap = this;
  chunk->object_bytes = kSlabClassBytes[slab_class];
  chunk->capacity =
      static_cast<std::uint16_t>((kChunkBytes - kChunkHeaderBytes) / chunk->object_bytes);
  chunk->slab_class = static_cast<std::uint8_t>(slab_class);
  return chunk;
}

void SlabHeap::give_back(SlabChunk* chunk) noexcept {
  decommit(reinterpret_cast<std::byte*>(chunk), kChunkBytes);
  decommitted_.push_back(chunk);
  --committed_chunks_;
  account(MemoryClass::kTaskFrames, -std::int64_t{kChunkBytes});
}

void SlabHeap::reserve_chunks() noexcept {
  std::byte* region = map_region(kReservationBytes, kChunkBytes);
  reserved_chunks_ += kReservationBytes / kChunkBytes;
  decommitted_.reserve(reserved_chunks_);
  // Last first, so that chunks are taken in the order of their addresses.
  for (std::size_t end = kReservationBytes; end > 0; end -= kChunkBytes) {
    decommitted_.push_back(region + end - kChunkBytes);
  }
}

std::size_t SlabHeap::trim() noexcept {
  drain_remote();
  const std::size_t before = committed_chunks_;
  for (Bin& bin : bins_) {
    if (bin.current == &no_chunk || bin.current->references > 1) continue;
    give_back(bin.current);
    bin.current = &no_chunk;
  }
  while (!empty_.empty()) give_back(&empty_.pop_front());
  empties_ = 0;
  return (before - committed_chunks_) * kChunkBytes;
}

SlabStatistics SlabHeap::statistics() const {
  SlabStatistics sum;
  for (std::size_t i = 0; i < kSlabClasses; ++i) {
    sum.live_objects += bins_[i].live;
    sum.live_bytes += bins_[i].live * kSlabClassBytes[i];
  }
  sum.committed_bytes = committed_chunks_ * kChunkBytes;
  return sum;
}

}  // namespace perch::memory
