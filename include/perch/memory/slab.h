// A slab heap for small objects that come and go in great numbers: task frames, streams, sessions.
//
// Every thread has a heap of its own. Objects of one size class live together in 64 KiB chunks with
// a live count; a chunk whose count falls to zero goes back to the system (MADV_DONTNEED) once more
// than a few empty chunks are cached. Huge pages are off (MADV_NOHUGEPAGE): one survivor would pin
// 2 MiB.
//
// Invariants:
//  - a chunk belongs to one heap for life; only that heap's thread touches its free list and count;
//  - a free from another thread pushes the object on the owning heap's remote list (one
//    compare-exchange), which the owner drains when its own list runs dry and in `trim`;
//  - heaps are never destroyed: when a thread ends, its heap waits for the next new thread.
//
// Thread-safety: allocate and deallocate may be called from any thread.
//
// Under AddressSanitizer every object is an operator new block of its own, so that use after free
// and leaks are found; a foreign free is then counted at once and nothing is left to trim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

namespace perch::memory {

// Sizes above this go to operator new.
inline constexpr std::size_t kMaxSlabSize = 8192;

// Never returns null: memory that cannot be had ends the process (a stated policy). The result is
// aligned to 16 bytes.
[[nodiscard]] void* allocate(std::size_t size);

// `size` is the size that was asked for.
void deallocate(void* object, std::size_t size) noexcept;

struct SlabStatistics {
  std::size_t live_objects = 0;     // of this thread's heap, remote frees not yet drained included
  std::size_t live_bytes = 0;       // their size classes' bytes
  std::size_t committed_bytes = 0;  // chunks not given back
};

// Of the calling thread's heap.
SlabStatistics slab_statistics();

// Drains remote frees and gives every empty chunk of the calling thread's heap back to the system.
// Returns the bytes given back.
std::size_t trim_slabs();

// Base that puts a class's objects on the slab heap.
class SlabAllocated {
 public:
  static void* operator new(std::size_t size) { return allocate(size); }
  static void operator delete(void* object, std::size_t size) noexcept { deallocate(object, size); }
};

}  // namespace perch::memory
