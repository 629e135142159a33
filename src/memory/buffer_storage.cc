#include "memory/buffer_storage.h"

#include <algorithm>

#include "memory/mapping.h"
#include "memory/sanitizer.h"
#include "perch/base/check.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {
constexpr std::size_t kRegionBytes = std::size_t{1} << 20;
}

BufferStorage::BufferStorage(std::size_t buffer_bytes)
    : slot_bytes_(whole_pages(buffer_bytes)),
      slots_per_region_(std::max<std::size_t>(1, kRegionBytes / slot_bytes_)) {}

BufferStorage::~BufferStorage() {
  PERCH_CHECK(free_.size() == regions_.size() * slots_per_region_);
  for (std::byte* region : regions_) {
    permit_access(region, slots_per_region_ * slot_bytes_);
    unmap_region(region, slots_per_region_ * slot_bytes_);
  }
}

std::byte* BufferStorage::take() {
  if (free_.empty()) reserve();
  std::byte* slot = free_.back();
  free_.pop_back();
  permit_access(slot, slot_bytes_);
  account(MemoryClass::kBuffers, static_cast<std::int64_t>(slot_bytes_));
  return slot;
}

void BufferStorage::give_back(std::byte* slot) noexcept {
  decommit(slot, slot_bytes_);
  forbid_access(slot, slot_bytes_);
  free_.push_back(slot);
  account(MemoryClass::kBuffers, -static_cast<std::int64_t>(slot_bytes_));
}

void BufferStorage::reserve() {
  std::byte* region = map_region(slots_per_region_ * slot_bytes_, page_bytes());
  forbid_access(region, slots_per_region_ * slot_bytes_);
  regions_.push_back(region);
  free_.reserve(regions_.size() * slots_per_region_);
  for (std::size_t i = slots_per_region_; i > 0; --i) {
    free_.push_back(region + (i - 1) * slot_bytes_);
  }
}

}  // namespace perch::memory
