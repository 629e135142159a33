// One thread's slab heap.
//
// Invariants:
//  - the heap lives forever and its thread is the only one to call anything but `free_remotely`;
//    heaps change threads through HeapRegistry, whose lock orders the old thread before the new;
//  - `remote_` is a stack of objects that other threads have freed. They push (compare-exchange,
//    release), the owner takes the whole stack (exchange, acquire); nobody pops single objects, so
//    the address of a head that came back cannot be mistaken (no ABA);
//  - an object on `remote_` still counts as live in its chunk, so the chunk cannot be given back;
//  - each chunk is in one place: allocated from (`Bin::current`), on its class's list, full (found
//    through its objects only), empty with its pages (`empty_`), or without pages (`decommitted_`).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <vector>

#include "memory/slab_chunk.h"
#include "memory/slab_classes.h"
#include "perch/base/intrusive_list.h"
#include "perch/memory/slab.h"

namespace perch::memory {

class SlabHeap {
 public:
  SlabHeap();
  SlabHeap(const SlabHeap&) = delete;
  SlabHeap& operator=(const SlabHeap&) = delete;

  // REQUIRES: size <= kMaxSlabSize.
  void* allocate(std::size_t size) noexcept {
    Bin& bin = bins_[slab_class_of(size)];
    ++bin.live;
    SlabChunk* chunk = bin.current;
    FreeObject* object = chunk->free;
    if (object == nullptr) [[unlikely]] {
      return carve(bin);
    }
    chunk->free = object->next;
    ++chunk->references;
    return object;
  }

  // REQUIRES: `chunk` is the object's and belongs to this heap.
  void free_locally(SlabChunk* chunk, void* memory) noexcept {
    auto* object = static_cast<FreeObject*>(memory);
    object->next = chunk->free;
    chunk->free = object;
    --bins_[chunk->slab_class].live;
    if (--chunk->references == 0 || chunk->full) [[unlikely]] {
      relist(chunk);
    }
  }

  // Any thread.
  void free_remotely(void* memory) noexcept;

  std::size_t trim() noexcept;
  SlabStatistics statistics() const;

  SlabHeap* next_idle = nullptr;  // HeapRegistry's

 private:
  struct Bin {
    SlabChunk* current;
    std::size_t live = 0;  // objects
    IntrusiveList<SlabChunk> with_room;
  };

  void* carve(Bin& bin) noexcept;
  void replace_current(Bin& bin) noexcept;
  void relist(SlabChunk* chunk) noexcept;
  void drain_remote() noexcept;
  SlabChunk* fresh_chunk(std::size_t slab_class) noexcept;
  void give_back(SlabChunk* chunk) noexcept;
  void reserve_chunks() noexcept;

  std::array<Bin, kSlabClasses> bins_;
  IntrusiveList<SlabChunk> empty_;
  std::size_t empties_ = 0;
  std::size_t committed_chunks_ = 0;
  std::size_t reserved_chunks_ = 0;
  // Their headers went with their pages, so they are remembered here. Never grows beyond the
  // capacity that reserve_chunks provides: freeing does not allocate.
  std::vector<void*> decommitted_;
  alignas(64) std::atomic<FreeObject*> remote_{nullptr};
};

}  // namespace perch::memory
