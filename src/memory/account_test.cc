#include "perch/memory/account.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace perch::memory {
namespace {

TEST(Account, SumsPerClass) {
  const std::int64_t table = accounted(MemoryClass::kConnectionTable);
  const std::int64_t cache = accounted(MemoryClass::kFileCache);
  account(MemoryClass::kConnectionTable, 4096);
  account(MemoryClass::kConnectionTable, -96);
  EXPECT_EQ(accounted(MemoryClass::kConnectionTable) - table, 4000);
  EXPECT_EQ(accounted(MemoryClass::kFileCache), cache);
  account(MemoryClass::kConnectionTable, -4000);
}

TEST(Account, LosesNothingBetweenThreads) {
  const std::int64_t before = accounted(MemoryClass::kFileCache);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 10'000; ++round) account(MemoryClass::kFileCache, 3);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(accounted(MemoryClass::kFileCache) - before, 120'000);
  account(MemoryClass::kFileCache, -120'000);
}

TEST(Account, EveryClassHasAName) {
  EXPECT_EQ(to_string(MemoryClass::kTaskFrames), "task frames");
  EXPECT_EQ(to_string(MemoryClass::kBuffers), "buffers");
  EXPECT_EQ(to_string(MemoryClass::kConnectionTable), "connection table");
  EXPECT_EQ(to_string(MemoryClass::kParkedRecords), "parked records");
  EXPECT_EQ(to_string(MemoryClass::kFileCache), "file cache");
}

}  // namespace
}  // namespace perch::memory
