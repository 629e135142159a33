#include "perch/memory/parked_store.h"

#include <array>
#include <utility>
#include <vector>

#include "memory/mapping.h"
#include "memory/parked_arena.h"
#include "memory/parked_classes.h"
#include "perch/base/check.h"
#include "perch/base/intrusive_list.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {

constexpr std::size_t kReservationBytes = std::size_t{4} << 20;
static_assert(ParkedStore::kMaxRecordBytes == kParkedArenaBytes);

// A RecordId is the arena's index plus one (20 bits), then the slot (12 bits): no id is 0, and a
// store holds up to 64 GiB.
constexpr std::uint32_t kSlotBits = 12;
constexpr std::uint32_t kSlotMask = (1U << kSlotBits) - 1;
constexpr std::size_t kMaxArenas = (1U << (32 - kSlotBits)) - 1;
static_assert(ParkedArena::kMaxSlots - 1 == kSlotMask);

}  // namespace

// Each arena is in one place: on its class's list (open, with room), full (found through its
// records only), or idle (closed, may be opened for any class). `spare_` is open, empty and on its
// list.
struct ParkedStore::Impl {
  ~Impl() {
    account_committed(0);
    arenas.clear();  // wipes
    for (std::byte* region : regions) unmap_region(region, kReservationBytes);
  }

  ParkedArena& arena_of(RecordId id) const {
    const std::uint32_t number = std::to_underlying(id) >> kSlotBits;
    PERCH_CHECK(number - 1 < arenas.size());
    return *arenas[number - 1];
  }

  ParkedArena& with_room(std::size_t parked_class) {
    IntrusiveList<ParkedArena>& list = lists[parked_class];
    if (list.empty()) {
      if (idle.empty()) reserve();
      ParkedArena& arena = idle.pop_front();
      arena.open(parked_class, !lock_refused);
      // Asking again is pointless until some arena has been unlocked.
      if (!arena.is_locked()) lock_refused = true;
      account_committed(committed_bytes + arena.table_bytes());
      list.push_back(arena);
    }
    return list.front();
  }

  void close(ParkedArena& arena) {
    arena.unlink();
    const std::size_t bytes = arena.touched_bytes() + arena.table_bytes();
    if (arena.is_locked()) {
      locked_bytes -= arena.touched_bytes();
      lock_refused = false;
    }
    arena.close();
    idle.push_back(arena);
    account_committed(committed_bytes - bytes);
  }

  void reserve() {
    constexpr std::size_t kArenas = kReservationBytes / kParkedArenaBytes;
    PERCH_CHECK(arenas.size() + kArenas <= kMaxArenas);
    std::byte* region = map_region(kReservationBytes, kParkedArenaBytes);
    exclude_from_dumps(region, kReservationBytes);
    regions.push_back(region);
    for (std::size_t i = 0; i < kArenas; ++i) {
      arenas.push_back(std::make_unique<ParkedArena>(region + i * kParkedArenaBytes,
                                                     static_cast<std::uint32_t>(arenas.size())));
      idle.push_back(*arenas.back());
    }
  }

  void account_committed(std::size_t bytes) {
    if (bytes == committed_bytes) return;
    account(MemoryClass::kParkedRecords,
            static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(committed_bytes));
    committed_bytes = bytes;
  }

  std::vector<std::byte*> regions;
  std::vector<std::unique_ptr<ParkedArena>> arenas;  // by index
  std::array<IntrusiveList<ParkedArena>, kParkedClasses> lists;
  IntrusiveList<ParkedArena> idle;
  ParkedArena* spare = nullptr;
  bool lock_refused = false;
  std::size_t records = 0;
  std::size_t record_bytes = 0;
  std::size_t committed_bytes = 0;
  std::size_t locked_bytes = 0;
};

ParkedStore::ParkedStore() : impl_(std::make_unique<Impl>()) {}
ParkedStore::~ParkedStore() = default;

RecordId ParkedStore::put(std::span<const std::byte> record) {
  PERCH_CHECK(!record.empty() && record.size() <= kMaxRecordBytes);
  ParkedArena& arena = impl_->with_room(parked_class_of(record.size()));
  const std::size_t touched_before = arena.touched_bytes();
  const std::size_t slot = arena.put(record);
  if (arena.is_full()) arena.unlink();
  if (&arena == impl_->spare) impl_->spare = nullptr;
  const std::size_t touched = arena.touched_bytes() - touched_before;
  impl_->account_committed(impl_->committed_bytes + touched);
  if (arena.is_locked()) impl_->locked_bytes += touched;
  ++impl_->records;
  impl_->record_bytes += record.size();
  return RecordId{(arena.index() + 1) << kSlotBits | static_cast<std::uint32_t>(slot)};
}

std::span<const std::byte> ParkedStore::get(RecordId id) const {
  return impl_->arena_of(id).get(std::to_underlying(id) & kSlotMask);
}

void ParkedStore::erase(RecordId id) {
  ParkedArena& arena = impl_->arena_of(id);
  const bool was_full = arena.is_full();
  impl_->record_bytes -= arena.erase(std::to_underlying(id) & kSlotMask);
  --impl_->records;
  if (was_full) impl_->lists[arena.parked_class()].push_back(arena);
  if (!arena.is_empty()) return;
  if (impl_->spare != nullptr) impl_->close(*impl_->spare);
  impl_->spare = &arena;
}

ParkedStoreStatistics ParkedStore::statistics() const {
  return {impl_->records, impl_->record_bytes, impl_->committed_bytes, impl_->locked_bytes};
}

}  // namespace perch::memory
