#include "perch/memory/parked_store.h"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "memory/mapping.h"
#include "memory/parked_classes.h"
#include "memory/resident_pages.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {

using testing::mapping_flags;
using testing::resident_pages;
using Record = std::vector<std::byte>;

Record record_of(std::size_t size, int value) { return Record(size, std::byte(value)); }

Record copy_of(std::span<const std::byte> bytes) { return Record(bytes.begin(), bytes.end()); }

TEST(ParkedClasses, EverySizeFitsItsClassAndNoSmallerOne) {
  for (std::size_t size = 1; size <= kParkedArenaBytes; ++size) {
    const std::size_t parked_class = parked_class_of(size);
    ASSERT_LT(parked_class, kParkedClasses);
    ASSERT_LE(size, parked_slot_bytes(parked_class));
    ASSERT_TRUE(parked_class == 0 || size > parked_slot_bytes(parked_class - 1)) << size;
  }
  EXPECT_EQ(parked_slot_bytes(parked_class_of(120)), 128U);
  EXPECT_EQ(parked_slot_bytes(parked_class_of(2049)), 2560U);
  EXPECT_EQ(parked_slot_bytes(parked_class_of(32768)), 32768U);
}

TEST(ParkedStore, KeepsRecordsOfEverySize) {
  ParkedStore store;
  for (std::size_t size : {1U, 16U, 17U, 2048U, 2049U, 32768U, 32769U, 65536U}) {
    const Record record = record_of(size, 7);
    const RecordId id = store.put(record);
    EXPECT_NE(id, RecordId::kNone);
    EXPECT_EQ(copy_of(store.get(id)), record);
  }
  EXPECT_EQ(store.statistics().records, 8U);
  EXPECT_EQ(store.statistics().record_bytes, 1U + 16 + 17 + 2048 + 2049 + 32768 + 32769 + 65536);
}

// Against a map: every record reads back as it was put, whatever is put and erased around it.
TEST(ParkedStore, BehavesLikeAMap) {
  const std::int64_t accounted_before = accounted(MemoryClass::kParkedRecords);
  std::optional<ParkedStore> store(std::in_place);
  std::mt19937 random(20261130);
  std::map<RecordId, Record> model;
  std::size_t bytes = 0;
  for (int step = 0; step < 40'000; ++step) {
    const unsigned grow_percent = step / 8'000 % 2 == 0 ? 65 : 30;
    if (model.empty() || random() % 100 < grow_percent) {
      const std::size_t size = random() % 200 == 0 ? 1 + random() % 65536 : 1 + random() % 300;
      Record record(size);
      for (std::byte& byte : record) byte = std::byte(random());
      const RecordId id = store->put(record);
      ASSERT_TRUE(model.emplace(id, record).second) << "id given twice";
      bytes += size;
    } else {
      auto it = model.lower_bound(RecordId{static_cast<std::uint32_t>(random() % 0x400000)});
      if (it == model.end()) it = model.begin();
      ASSERT_TRUE(std::ranges::equal(store->get(it->first), it->second)) << "step " << step;
      store->erase(it->first);
      bytes -= it->second.size();
      model.erase(it);
    }
    ASSERT_EQ(store->statistics().records, model.size());
    ASSERT_EQ(store->statistics().record_bytes, bytes);
  }
  for (const auto& [id, record] : model) ASSERT_TRUE(std::ranges::equal(store->get(id), record));
  EXPECT_EQ(accounted(MemoryClass::kParkedRecords) - accounted_before,
            static_cast<std::int64_t>(store->statistics().committed_bytes));
  store.reset();
  EXPECT_EQ(accounted(MemoryClass::kParkedRecords), accounted_before);
}

TEST(ParkedStore, NineteenThousandRecordsOf120BytesCommit140BytesEachAtMost) {
  ParkedStore store;
  for (int i = 0; i < 19'000; ++i) store.put(record_of(120, i));
  // 594 pages of 32 slots, and 38 tables of 512 two-byte entries.
  if (page_bytes() == 4096) {
    EXPECT_EQ(store.statistics().committed_bytes, 594U * 4096 + 38 * 1024);
  }
  EXPECT_LE(store.statistics().committed_bytes, 19'000U * 140);
}

TEST(ParkedStore, MixedSizesAround120BytesCommit140BytesEachAtMost) {
  ParkedStore store;
  std::mt19937 random(1);
  for (int i = 0; i < 19'000; ++i) store.put(record_of(60 + random() % 121, i));
  EXPECT_LE(store.statistics().committed_bytes, 19'000U * 140);
}

TEST(ParkedStore, FirstRecordOfAClassTouchesOnePage) {
  ParkedStore store;
  const RecordId id = store.put(record_of(100, 1));
  EXPECT_EQ(resident_pages(store.get(id).data(), kParkedArenaBytes), 1U);
  EXPECT_EQ(store.statistics().committed_bytes, page_bytes() + 65536 / 112 * 2);
}

TEST(ParkedStore, EraseWipesTheRecord) {
  ParkedStore store;
  store.put(record_of(100, 1));  // keeps the arena
  const RecordId id = store.put(record_of(100, 0xaa));
  const std::span<const std::byte> bytes = store.get(id);
  EXPECT_EQ(copy_of(bytes), record_of(100, 0xaa));
  store.erase(id);
  // Still the store's memory, so reading it is well-defined, if not allowed to callers.
  EXPECT_EQ(copy_of(bytes), record_of(100, 0));
}

TEST(ParkedStore, LeavesRecordsOutOfCoreDumpsAndHugePages) {
  ParkedStore store;
  const RecordId id = store.put(record_of(100, 1));
  const std::string flags = mapping_flags(store.get(id).data());
  EXPECT_NE(flags.find(" dd "), std::string::npos) << flags;
  EXPECT_NE(flags.find(" nh "), std::string::npos) << flags;
}

TEST(ParkedStore, CountsAsLockedWhatTheSystemLocked) {
  ParkedStore store;
  const RecordId id = store.put(record_of(100, 1));
  // " lo " is the system's word for it; whether it agreed depends on RLIMIT_MEMLOCK.
  const bool locked = mapping_flags(store.get(id).data()).find(" lo ") != std::string::npos;
  EXPECT_EQ(store.statistics().locked_bytes, locked ? page_bytes() : 0);
}

TEST(ParkedStore, GivesEmptyArenasBackButOne) {
  ParkedStore store;
  std::vector<RecordId> ids;
  for (int i = 0; i < 3 * 512; ++i) ids.push_back(store.put(record_of(128, i)));
  const std::byte* first = store.get(ids[0]).data();
  const std::byte* second = store.get(ids[512]).data();
  const std::byte* third = store.get(ids[1024]).data();
  EXPECT_EQ(resident_pages(first, kParkedArenaBytes), kParkedArenaBytes / page_bytes());
  for (RecordId id : ids) store.erase(id);
  EXPECT_EQ(resident_pages(first, kParkedArenaBytes), 0U);
  EXPECT_EQ(resident_pages(second, kParkedArenaBytes), 0U);
  EXPECT_EQ(resident_pages(third, kParkedArenaBytes), kParkedArenaBytes / page_bytes());
  EXPECT_EQ(store.statistics().records, 0U);
  EXPECT_EQ(store.statistics().committed_bytes, kParkedArenaBytes + 1024);
  EXPECT_LE(store.statistics().locked_bytes, kParkedArenaBytes);
}

TEST(ParkedStore, GivenBackArenaServesAnotherClass) {
  ParkedStore store;
  const RecordId small = store.put(record_of(100, 1));
  const std::byte* arena = store.get(small).data();
  store.erase(small);
  store.erase(store.put(record_of(500, 2)));  // takes the place of the spare arena
  EXPECT_EQ(resident_pages(arena, kParkedArenaBytes), 0U);
  // 63 arenas of the reservation were idle before this one.
  std::vector<RecordId> ids;
  for (int i = 0; i < 63; ++i) ids.push_back(store.put(record_of(40'000, 3)));
  EXPECT_EQ(store.get(ids.back()).data(), arena);
}

TEST(ParkedStoreDeathTest, StaleIdsAbort) {
  ParkedStore store;
  const RecordId kept = store.put(record_of(100, 1));
  const RecordId erased = store.put(record_of(100, 2));
  store.erase(erased);
  EXPECT_DEATH(store.erase(erased), "check failed");
  EXPECT_DEATH((void)store.get(RecordId::kNone), "check failed");
  EXPECT_DEATH((void)store.get(RecordId{0x7fffffff}), "check failed");
  EXPECT_EQ(store.get(kept).size(), 100U);
}

TEST(ParkedStoreDeathTest, EmptyAndOversizedRecordsAbort) {
  ParkedStore store;
  EXPECT_DEATH((void)store.put({}), "check failed");
  EXPECT_DEATH((void)store.put(record_of(65537, 1)), "check failed");
}

}  // namespace
}  // namespace perch::memory
