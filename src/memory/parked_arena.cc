#include "memory/parked_arena.h"

#include <string.h>

#include <algorithm>

#include "memory/mapping.h"
#include "perch/base/check.h"

namespace perch::memory {

void ParkedArena::open(std::size_t parked_class, bool lock) {
  PERCH_DCHECK(!is_open());
  parked_class_ = static_cast<std::uint8_t>(parked_class);
  slot_bytes_ = static_cast<std::uint32_t>(parked_slot_bytes(parked_class));
  slots_ = static_cast<std::uint16_t>(kParkedArenaBytes / slot_bytes_);
  // Not initialised: entries are written as slots are first used, and so are the table's pages.
  table_ = std::make_unique_for_overwrite<std::uint16_t[]>(slots_);
  locked_ = lock && lock_on_touch(memory_, kParkedArenaBytes);
}

void ParkedArena::close() noexcept {
  PERCH_DCHECK(is_open() && is_empty());
  // Locked pages cannot be given back.
  if (locked_) unlock(memory_, kParkedArenaBytes);
  decommit(memory_, kParkedArenaBytes);
  table_.reset();
  touched_bytes_ = 0;
  slots_ = used_ = 0;
  first_free_ = kNoSlot;
  locked_ = false;
}

std::size_t ParkedArena::put(std::span<const std::byte> record) {
  PERCH_DCHECK(!is_full() && record.size() <= slot_bytes_);
  std::size_t slot;
  if (first_free_ != kNoSlot) {
    slot = first_free_;
    first_free_ = table_[slot] & kNoSlot;
  } else {
    slot = used_++;
  }
  const std::size_t offset = slot * slot_bytes_;
  ::memcpy(memory_ + offset, record.data(), record.size());
  table_[slot] = static_cast<std::uint16_t>(slot_bytes_ - record.size());
  ++live_;
  touched_bytes_ =
      std::max(touched_bytes_, static_cast<std::uint32_t>(whole_pages(offset + record.size())));
  return slot;
}

std::span<const std::byte> ParkedArena::get(std::size_t slot) const {
  PERCH_CHECK(slot < used_ && (table_[slot] & kFree) == 0);
  return {memory_ + slot * slot_bytes_, slot_bytes_ - std::size_t{table_[slot]}};
}

std::size_t ParkedArena::erase(std::size_t slot) noexcept {
  const std::size_t bytes = get(slot).size();
  ::explicit_bzero(memory_ + slot * slot_bytes_, bytes);
  table_[slot] = kFree | first_free_;
  first_free_ = static_cast<std::uint16_t>(slot);
  --live_;
  return bytes;
}

void ParkedArena::wipe() noexcept {
  for (std::size_t slot = 0; slot < used_; ++slot) {
    if ((table_[slot] & kFree) == 0) erase(slot);
  }
}

}  // namespace perch::memory
