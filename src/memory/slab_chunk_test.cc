// What the slab heap takes from the system and gives back. Under AddressSanitizer there are no
// chunks to look at.
#include "memory/slab_chunk.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/resident_pages.h"
#include "memory/sanitizer.h"
#include "perch/memory/account.h"
#include "perch/memory/slab.h"

#if !PERCH_ADDRESS_SANITIZER

namespace perch::memory {
namespace {

using testing::mapping_flags;
using testing::resident_pages;

constexpr std::size_t kFrameBytes = 88;
constexpr std::size_t kFramesPerChunk = (kChunkBytes - kChunkHeaderBytes) / 96;

template <class Run>
void on_new_thread(Run run) {
  std::thread(run).join();
}

std::vector<void*> allocate_frames(std::size_t count) {
  std::vector<void*> frames(count);
  for (void*& frame : frames) frame = allocate(kFrameBytes);
  return frames;
}

void free_frames(const std::vector<void*>& frames) {
  for (void* frame : frames) deallocate(frame, kFrameBytes);
}

TEST(SlabChunks, FreedObjectIsTheNextOneAllocated) {
  on_new_thread([] {
    void* first = allocate(kFrameBytes);
    void* second = allocate(kFrameBytes);
    deallocate(first, kFrameBytes);
    EXPECT_EQ(allocate(kFrameBytes), first);
    deallocate(first, kFrameBytes);
    deallocate(second, kFrameBytes);
  });
}

TEST(SlabChunks, MillionFramesOf88BytesCommit97BytesEachAtMost) {
  on_new_thread([] {
    constexpr std::size_t kFrames = 1'000'000;
    deallocate(allocate(16), 16);  // adopts a heap, with what it may have to give back
    trim_slabs();
    const std::int64_t accounted_before = accounted(MemoryClass::kTaskFrames);
    const std::vector<void*> frames = allocate_frames(kFrames);
    EXPECT_EQ(kFramesPerChunk, 682U);
    EXPECT_EQ(slab_statistics().committed_bytes, std::size_t{1467} * 65536);  // 96.14 per frame
    EXPECT_EQ(accounted(MemoryClass::kTaskFrames) - accounted_before, 1467 * 65536);
    free_frames(frames);
    // Sixteen empty chunks are cached, and the class keeps the one that it allocates from.
    EXPECT_EQ(slab_statistics().committed_bytes, std::size_t{17} * 65536);
    EXPECT_EQ(trim_slabs(), std::size_t{17} * 65536);
    EXPECT_EQ(slab_statistics().committed_bytes, 0U);
    EXPECT_EQ(accounted(MemoryClass::kTaskFrames), accounted_before);
  });
}

TEST(SlabChunks, OneObjectTouchesOnePage) {
  on_new_thread([] {
    void* frame = allocate(kFrameBytes);
    EXPECT_EQ(resident_pages(SlabChunk::of(frame), kChunkBytes), 1U);
    deallocate(frame, kFrameBytes);
  });
}

TEST(SlabChunks, AreKeptOffHugePages) {
  void* frame = allocate(kFrameBytes);
  EXPECT_NE(mapping_flags(frame).find(" nh "), std::string::npos);
  deallocate(frame, kFrameBytes);
}

TEST(SlabChunks, TrimGivesEmptyChunksBackAndLeavesOthers) {
  on_new_thread([] {
    std::vector<void*> frames = allocate_frames(3 * kFramesPerChunk);
    void* survivor = frames[kFramesPerChunk];  // first of the second chunk
    const SlabChunk* first = SlabChunk::of(frames[0]);
    const SlabChunk* third = SlabChunk::of(frames.back());
    for (void* frame : frames) {
      if (frame != survivor) deallocate(frame, kFrameBytes);
    }
    EXPECT_EQ(resident_pages(first, kChunkBytes), 16U);
    EXPECT_EQ(trim_slabs(), 2 * kChunkBytes);
    EXPECT_EQ(resident_pages(first, kChunkBytes), 0U);
    EXPECT_EQ(resident_pages(SlabChunk::of(survivor), kChunkBytes), 16U);
    EXPECT_EQ(resident_pages(third, kChunkBytes), 0U);
    deallocate(survivor, kFrameBytes);
    EXPECT_EQ(trim_slabs(), kChunkBytes);
    EXPECT_EQ(trim_slabs(), 0U);
  });
}

TEST(SlabChunks, GivenBackChunkServesAnotherClass) {
  on_new_thread([] {
    void* frame = allocate(kFrameBytes);
    SlabChunk* chunk = SlabChunk::of(frame);
    deallocate(frame, kFrameBytes);
    trim_slabs();
    void* other = allocate(1000);
    EXPECT_EQ(SlabChunk::of(other), chunk);
    deallocate(other, 1000);
  });
}

TEST(SlabChunks, HolesAreFilledBeforeNewChunksAreTaken) {
  on_new_thread([] {
    const std::vector<void*> frames = allocate_frames(4 * kFramesPerChunk);
    const std::size_t committed = slab_statistics().committed_bytes;
    for (std::size_t i = 0; i < frames.size(); i += 2) deallocate(frames[i], kFrameBytes);
    const std::vector<void*> more = allocate_frames(2 * kFramesPerChunk);
    EXPECT_EQ(slab_statistics().committed_bytes, committed);
    for (std::size_t i = 1; i < frames.size(); i += 2) deallocate(frames[i], kFrameBytes);
    free_frames(more);
  });
}

TEST(SlabChunks, ForeignFreesCountAsLiveUntilDrained) {
  on_new_thread([] {
    const std::vector<void*> frames = allocate_frames(2 * kFramesPerChunk);
    on_new_thread([&] { free_frames(frames); });
    EXPECT_EQ(slab_statistics().live_objects, 2 * kFramesPerChunk);
    EXPECT_EQ(trim_slabs(), 2 * kChunkBytes);
    EXPECT_EQ(slab_statistics().live_objects, 0U);
  });
}

TEST(SlabChunks, ForeignFreesAreDrainedWhenTheClassRunsDry) {
  on_new_thread([] {
    std::vector<void*> frames = allocate_frames(kFramesPerChunk);
    on_new_thread([&] { deallocate(frames[5], kFrameBytes); });
    void* again = allocate(kFrameBytes);
    EXPECT_EQ(again, frames[5]);
    EXPECT_EQ(slab_statistics().committed_bytes, kChunkBytes);
    free_frames(frames);
  });
}

TEST(SlabChunks, HeapOfAnEndedThreadIsAdopted) {
  void* left = nullptr;
  on_new_thread([&] { left = allocate(kFrameBytes); });
  on_new_thread([&] {
    // The last heap left behind is the first to be adopted, with its objects.
    void* own = allocate(kFrameBytes);
    EXPECT_EQ(slab_statistics().live_objects, 2U);
    EXPECT_EQ(SlabChunk::of(own), SlabChunk::of(left));
    deallocate(left, kFrameBytes);
    deallocate(own, kFrameBytes);
    EXPECT_EQ(slab_statistics().live_objects, 0U);
  });
}

TEST(SlabChunks, ObjectsFreedWhileTheirHeapHadNoThreadAreDrainedAtItsAdoption) {
  SlabChunk* chunk = nullptr;
  void* left = nullptr;
  on_new_thread([&] {
    left = allocate(kFrameBytes);
    chunk = SlabChunk::of(left);
  });
  deallocate(left, kFrameBytes);
  on_new_thread([&] {
    void* own = allocate(1000);
    EXPECT_EQ(slab_statistics().live_objects, 1U);
    EXPECT_EQ(SlabChunk::of(own), chunk);  // empty again, so it serves another class
    deallocate(own, 1000);
  });
}

TEST(SlabChunks, EndingThreadGivesItsEmptyChunksBack) {
  SlabChunk* chunk = nullptr;
  on_new_thread([&] {
    void* frame = allocate(kFrameBytes);
    chunk = SlabChunk::of(frame);
    deallocate(frame, kFrameBytes);
  });
  EXPECT_EQ(resident_pages(chunk, kChunkBytes), 0U);
}

}  // namespace
}  // namespace perch::memory

#endif
