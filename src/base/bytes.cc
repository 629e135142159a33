#include "perch/base/bytes.h"

#include <cstring>
#include <new>

#include "perch/base/check.h"

namespace perch {
namespace {

// Header of a heap block; the data follow it in the same allocation.
class HeapBlock final : public BytesOwner {
 public:
  static HeapBlock* make(std::span<const std::byte> data) {
    void* memory = ::operator new(sizeof(HeapBlock) + data.size());
    auto* block = ::new (memory) HeapBlock;
    std::memcpy(block->data(), data.data(), data.size());
    return block;
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

 private:
  HeapBlock() : BytesOwner(&free) {}
  static void free(BytesOwner* owner) noexcept {
    auto* block = static_cast<HeapBlock*>(owner);
    block->~HeapBlock();
    ::operator delete(block);
  }
};

}  // namespace

Bytes Bytes::copy(std::string_view text) { return copy(as_bytes(text)); }

Bytes Bytes::copy(std::span<const std::byte> data) {
  if (data.empty()) return {};
  HeapBlock* block = HeapBlock::make(data);
  return adopt(block, block->data(), data.size());
}

Bytes Bytes::slice(std::size_t offset, std::size_t length) const {
  PERCH_CHECK(offset <= size_ && length <= size_ - offset);
  if (length == 0) return {};
  if (owner_ != nullptr) owner_->retain();
  return Bytes(owner_, data_ + offset, length);
}

Bytes Bytes::take_front(std::size_t length) {
  PERCH_CHECK(length <= size_);
  // Handing over the whole slice moves the reference instead of counting up and down.
  if (length == size_) return std::exchange(*this, Bytes());
  Bytes front = slice(0, length);
  drop_front(length);
  return front;
}

void Bytes::drop_front(std::size_t length) {
  PERCH_CHECK(length <= size_);
  if (length == size_) {
    *this = Bytes();
    return;
  }
  data_ += length;
  size_ -= length;
}

}  // namespace perch
