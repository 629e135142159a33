// A chunk: 64 KiB of objects of one class, behind a small header.
#pragma once

#include <cstddef>
#include <cstdint>

#include "memory/slab_classes.h"
#include "perch/base/intrusive_list.h"

namespace perch::memory {

class SlabHeap;

// What a free object holds.
struct FreeObject {
  FreeObject* next;
};

// Invariants:
//  - the header lies at the chunk's start, and chunks are aligned to their size, so that an
//  object's
//    address alone leads to it;
//  - `heap` is written before the first object is handed out and stays: any thread that holds an
//    object of the chunk may read it. Everything else is the owning heap's thread's;
//  - objects from `carved` on were never handed out and their pages may be untouched;
//  - `references` counts live objects, and one more while the heap allocates from this chunk;
//  - a chunk is on its class's list exactly when it has room and is not the one allocated from.
struct SlabChunk : ListLink<> {
  SlabHeap* heap = nullptr;
  FreeObject* free = nullptr;
  std::uint32_t references = 0;
  std::uint16_t carved = 0;
  std::uint16_t capacity = 0;
  std::uint16_t object_bytes = 0;
  std::uint8_t slab_class = 0;
  bool full = false;  // nothing free, and on no list

  static SlabChunk* of(void* object) {
    return reinterpret_cast<SlabChunk*>(reinterpret_cast<std::uintptr_t>(object) &
                                        ~std::uintptr_t{kChunkBytes - 1});
  }
  void* carve() {
    return reinterpret_cast<std::byte*>(this) + kChunkHeaderBytes +
           std::size_t{object_bytes} * carved++;
  }
};
static_assert(sizeof(SlabChunk) == kChunkHeaderBytes);
static_assert(kChunkHeaderBytes % kSlabAlignment == 0);

}  // namespace perch::memory
