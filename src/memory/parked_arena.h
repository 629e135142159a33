// One arena of the parked store: 64 KiB of slots of one size, and a table of what they hold.
//
// Invariants:
//  - a slot that holds no record reads as zero;
//  - pages are touched from the front, as slots are first used: `touched_bytes` covers all that are
//    committed;
//  - a table entry is either the unused tail of a live record's slot (15 bits), or kFree and the
//    next free slot. The table lies apart from the records and holds nothing secret.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "memory/parked_classes.h"
#include "perch/base/intrusive_list.h"

namespace perch::memory {

class ParkedArena : public ListLink<> {
 public:
  static constexpr std::size_t kMaxSlots = kParkedArenaBytes / 16;

  // Borrows kParkedArenaBytes of zeroed, untouched memory. `index` is the store's name for it.
  ParkedArena(std::byte* memory, std::uint32_t index) : memory_(memory), index_(index) {}
  ~ParkedArena() { wipe(); }

  std::uint32_t index() const { return index_; }
  std::size_t parked_class() const { return parked_class_; }
  bool is_open() const { return table_ != nullptr; }
  bool is_empty() const { return live_ == 0; }
  bool is_full() const { return live_ == slots_; }
  bool is_locked() const { return locked_; }
  std::size_t touched_bytes() const { return touched_bytes_; }
  std::size_t table_bytes() const { return is_open() ? slots_ * sizeof(std::uint16_t) : 0; }

  // Readies the arena for records of a class; locks its memory if `lock` and the system lets it.
  // REQUIRES: !is_open().
  void open(std::size_t parked_class, bool lock);
  // Gives the memory back to the system. REQUIRES: is_open() && is_empty().
  void close() noexcept;

  // Copies the record in and returns its slot. REQUIRES: !is_full(), the record is of the class.
  std::size_t put(std::span<const std::byte> record);
  // REQUIRES: `slot` holds a record (checked).
  std::span<const std::byte> get(std::size_t slot) const;
  // Wipes the slot and returns the size of what was there. REQUIRES: as for get.
  std::size_t erase(std::size_t slot) noexcept;

 private:
  static constexpr std::uint16_t kFree = 0x8000;
  static constexpr std::uint16_t kNoSlot = 0x7fff;

  void wipe() noexcept;

  std::byte* const memory_;
  std::unique_ptr<std::uint16_t[]> table_;
  const std::uint32_t index_;
  std::uint32_t slot_bytes_ = 0;
  std::uint32_t touched_bytes_ = 0;  // whole pages
  std::uint16_t slots_ = 0;
  std::uint16_t used_ = 0;  // slots that ever held a record since `open`
  std::uint16_t live_ = 0;
  std::uint16_t first_free_ = kNoSlot;
  std::uint8_t parked_class_ = 0;
  bool locked_ = false;
};
static_assert(kParkedClasses <= 256);

}  // namespace perch::memory
