#include "server/connection_table.h"

#include "perch/base/check.h"
#include "perch/memory/account.h"

namespace perch::server {
namespace {

constexpr std::int64_t kPageBytes = ConnectionTable::kSlotsPerPage * sizeof(Slot);

}  // namespace

ConnectionTable::~ConnectionTable() {
  memory::account(memory::MemoryClass::kConnectionTable,
                  -kPageBytes * static_cast<std::int64_t>(pages_.size()));
}

std::uint32_t ConnectionTable::allocate(int fd) {
  std::uint32_t index = first_free_;
  if (index != kNone) {
    first_free_ = (*this)[index].target.next_free;
  } else {
    index = bound_++;
    if (index / kSlotsPerPage == pages_.size()) {
      pages_.push_back(std::make_unique<Slot[]>(kSlotsPerPage));
      memory::account(memory::MemoryClass::kConnectionTable, kPageBytes);
    }
  }
  Slot& slot = (*this)[index];
  slot.target.connection = nullptr;
  slot.fd = fd;
  slot.idle_wakes = 0;
  slot.secure = slot.http1 = false;
  slot.set_state(SlotState::kAccepted);
  ++used_;
  return index;
}

void ConnectionTable::release(std::uint32_t index) {
  Slot& slot = (*this)[index];
  PERCH_CHECK(slot.state() != SlotState::kFree);
  slot.set_state(SlotState::kFree);
  slot.generation = (slot.generation + 1) & Slot::kGenerationMask;
  slot.fd = -1;
  slot.target.next_free = first_free_;
  first_free_ = index;
  --used_;
}

Slot* ConnectionTable::find(std::uint32_t index, std::uint32_t generation) {
  if (index >= bound_) return nullptr;
  Slot& slot = (*this)[index];
  return slot.state() != SlotState::kFree && slot.generation == generation ? &slot : nullptr;
}

}  // namespace perch::server
