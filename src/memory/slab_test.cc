#include "perch/memory/slab.h"

#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/slab_classes.h"

namespace perch::memory {
namespace {

// A fresh thread per test: it may adopt a heap that was used before, but an empty and trimmed one.
template <class Run>
void on_new_thread(Run run) {
  std::thread(run).join();
}

struct Object {
  unsigned char* memory;
  std::size_t size;
  unsigned char fill;

  bool is_intact() const {
    for (std::size_t i = 0; i < size; ++i) {
      if (memory[i] != fill) return false;
    }
    return true;
  }
};

TEST(SlabClasses, EverySizeFitsItsClassAndNoSmallerOne) {
  for (std::size_t size = 0; size <= kMaxSlabSize; ++size) {
    const std::size_t slab_class = slab_class_of(size);
    ASSERT_LE(size, kSlabClassBytes[slab_class]);
    ASSERT_TRUE(slab_class == 0 || size > kSlabClassBytes[slab_class - 1]) << size;
  }
}

TEST(SlabClasses, AreMultiplesOfSixteenInStepsOfAtMostASixth) {
  for (std::size_t i = 1; i < kSlabClasses; ++i) {
    ASSERT_EQ(kSlabClassBytes[i] % kSlabAlignment, 0U);
    ASSERT_GT(kSlabClassBytes[i], kSlabClassBytes[i - 1]);
    if (kSlabClassBytes[i] > 512) {
      ASSERT_LE(kSlabClassBytes[i] * 6, kSlabClassBytes[i - 1] * 7 + 96) << i;
    }
  }
  EXPECT_EQ(kSlabClassBytes[slab_class_of(88)], 96);
  EXPECT_EQ(kSlabClassBytes[slab_class_of(512)], 512);
  EXPECT_EQ(kSlabClassBytes[slab_class_of(4096)], 4352);
  EXPECT_EQ(kSlabClassBytes[kSlabClasses - 1], 8192);
}

TEST(Slab, ObjectsAreAlignedToSixteenBytes) {
  for (std::size_t size : {1U, 8U, 24U, 88U, 520U, 4096U, 8192U, 8193U, 100'000U}) {
    void* object = allocate(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(object) % 16, 0U) << size;
    std::memset(object, 0xff, size);
    deallocate(object, size);
  }
}

TEST(Slab, CountsLiveObjectsByTheirClassesBytes) {
  on_new_thread([] {
    void* small = allocate(88);
    void* large = allocate(8000);
    EXPECT_EQ(slab_statistics().live_objects, 2U);
    EXPECT_EQ(slab_statistics().live_bytes, 96U + kSlabClassBytes[slab_class_of(8000)]);
    deallocate(small, 88);
    deallocate(large, 8000);
    EXPECT_EQ(slab_statistics().live_objects, 0U);
    EXPECT_EQ(slab_statistics().live_bytes, 0U);
  });
}

TEST(Slab, SizesAboveTheLimitAreNotCounted) {
  on_new_thread([] {
    void* object = allocate(kMaxSlabSize + 1);
    EXPECT_EQ(slab_statistics().live_objects, 0U);
    deallocate(object, kMaxSlabSize + 1);
  });
}

TEST(Slab, SlabAllocatedClassesLiveOnTheHeap) {
  struct Stream : SlabAllocated {
    char state[100];
  };
  on_new_thread([] {
    const auto stream = std::make_unique<Stream>();
    EXPECT_EQ(slab_statistics().live_objects, 1U);
    EXPECT_EQ(slab_statistics().live_bytes, 112U);
  });
}

// Any mix of sizes, in any order: no object's bytes are ever changed by another's life.
TEST(Slab, ObjectsNeverOverlap) {
  on_new_thread([] {
    std::mt19937 random(20261130);
    std::vector<Object> objects;
    for (int step = 0; step < 60'000; ++step) {
      // Grow for a while, then shrink, so that chunks fill up and run empty.
      const unsigned grow_percent = step / 10'000 % 2 == 0 ? 65 : 35;
      if (objects.empty() || random() % 100 < grow_percent) {
        const std::size_t size =
            random() % 8 == 0 ? 1 + random() % kMaxSlabSize : 1 + random() % 600;
        const auto fill = static_cast<unsigned char>(random());
        objects.push_back({static_cast<unsigned char*>(allocate(size)), size, fill});
        std::memset(objects.back().memory, fill, size);
      } else {
        std::swap(objects[random() % objects.size()], objects.back());
        const Object object = objects.back();
        objects.pop_back();
        ASSERT_TRUE(object.is_intact()) << "step " << step;
        deallocate(object.memory, object.size);
      }
      if (step % 9'000 == 0) trim_slabs();
      ASSERT_EQ(slab_statistics().live_objects, objects.size());
    }
    for (const Object& object : objects) {
      ASSERT_TRUE(object.is_intact());
      deallocate(object.memory, object.size);
    }
    EXPECT_EQ(slab_statistics().live_objects, 0U);
    trim_slabs();
    EXPECT_EQ(slab_statistics().committed_bytes, 0U);
  });
}

// Each generation of threads frees what the one before it allocated, while allocating its own.
TEST(Slab, ThreadsMayFreeEachOthersObjects) {
  constexpr std::size_t kThreads = 3;
  std::vector<std::vector<Object>> inherited(kThreads);
  for (unsigned generation = 0; generation < 4; ++generation) {
    std::vector<std::vector<Object>> made(kThreads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&made = made[t], &foreign = inherited[(t + 1) % kThreads],
                            seed = generation * 10 + static_cast<unsigned>(t)] {
        std::mt19937 random(seed);
        for (int i = 0; i < 5'000; ++i) {
          const std::size_t size = 1 + random() % 400;
          const auto fill = static_cast<unsigned char>(random());
          made.push_back({static_cast<unsigned char*>(allocate(size)), size, fill});
          std::memset(made.back().memory, fill, size);
          if (foreign.empty()) continue;
          ASSERT_TRUE(foreign.back().is_intact());
          deallocate(foreign.back().memory, foreign.back().size);
          foreign.pop_back();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    inherited = std::move(made);
  }
  for (const auto& objects : inherited) {
    for (const Object& object : objects) {
      ASSERT_TRUE(object.is_intact());
      deallocate(object.memory, object.size);
    }
  }
}

TEST(Slab, DestructorsOfAnEndingThreadMayAllocateAndFree) {
  struct Late {
    void* early = nullptr;
    ~Late() {
      deallocate(early, 64);
      deallocate(allocate(64), 64);
    }
  };
  on_new_thread([] {
    // Made before the thread's heap, so destroyed after the heap was left behind.
    thread_local Late late;
    late.early = allocate(64);
  });
}

}  // namespace
}  // namespace perch::memory
