// The memory behind a buffer pool: page-aligned slots of one size.
//
// Slots are cut from reservations that live as long as the storage. A slot that comes back loses
// its pages but not its addresses, so the number of mappings does not grow with the buffers.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <vector>

namespace perch::memory {

class BufferStorage {
 public:
  explicit BufferStorage(std::size_t buffer_bytes);
  ~BufferStorage();  // REQUIRES: every slot is back
  BufferStorage(const BufferStorage&) = delete;
  BufferStorage& operator=(const BufferStorage&) = delete;

  std::size_t slot_bytes() const { return slot_bytes_; }

  std::byte* take();
  void give_back(std::byte* slot) noexcept;

 private:
  void reserve();

  const std::size_t slot_bytes_;
  const std::size_t slots_per_region_;
  std::vector<std::byte*> regions_;
  std::vector<std::byte*> free_;  // capacity for all slots
};

}  // namespace perch::memory
