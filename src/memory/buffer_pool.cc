#include "perch/memory/buffer_pool.h"

#include <atomic>
#include <mutex>
#include <vector>

#include "memory/buffer_storage.h"
#include "memory/sanitizer.h"
#include "perch/base/check.h"
#include "perch/memory/slab.h"

namespace perch::memory {
namespace {

// Never used twice, unlike the system's thread ids: a thread that ended has no successor that could
// be taken for it.
std::uint64_t thread_token() {
  static constinit std::atomic<std::uint64_t> last{0};
  static constinit thread_local std::uint64_t token = 0;
  if (token == 0) token = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return token;
}

constexpr std::size_t kFewBuffers = 4;

}  // namespace

namespace detail {

// The header of one buffer. On loan it holds the pool's state alive; cached it does not, so that
// a pool and its cached buffers do not keep each other.
class BufferBlock final : public BytesOwner, public SlabAllocated {
 public:
  BufferBlock(std::byte* data, std::size_t size) : BytesOwner(&release), data_(data), size_(size) {}

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }

  void lend(std::shared_ptr<BufferPoolState> state) { state_ = std::move(state); }
  void give_back() noexcept;  // any thread, if frozen; may destroy the block

 private:
  static void release(BytesOwner* owner) noexcept {
    auto* block = static_cast<BufferBlock*>(owner);
    block->revive();
    block->give_back();
  }

  std::shared_ptr<BufferPoolState> state_;
  std::byte* data_;
  std::size_t size_;
};

// Invariants:
//  - `owner_` is the token of the thread that took the first buffer, and never changes after;
//  - until `closed_`, only the owner touches `storage_`, `cached_` and `loaned_`; other threads
//  touch
//    `returned_` under `mutex_`. After it, everything happens under `mutex_`;
//  - `returned_count_` may lag behind `returned_` and only tells the owner that a look is
//  worthwhile;
//  - every loaned block holds this object alive, so it dies when the pool is gone and all are back.
class BufferPoolState {
 public:
  BufferPoolState(std::size_t buffer_bytes, std::size_t cached_bytes)
      : buffer_bytes_(buffer_bytes),
        storage_(buffer_bytes),
        max_cached_(cached_bytes / storage_.slot_bytes()) {}

  BufferBlock* take() {
    claim();
    drain();
    ++loaned_;
    if (cached_.empty()) return new BufferBlock(storage_.take(), buffer_bytes_);
    BufferBlock* block = cached_.back();
    cached_.pop_back();
    permit_access(block->data(), buffer_bytes_);
    return block;
  }

  void put(BufferBlock* block) noexcept {
    if (owner_.load(std::memory_order_relaxed) == thread_token() &&
        !closed_.load(std::memory_order_relaxed)) {
      --loaned_;
      keep(block);
      return;
    }
    const std::lock_guard lock(mutex_);
    if (closed_.load(std::memory_order_relaxed)) {
      free(block);
    } else {
      returned_.push_back(block);
      returned_count_.store(returned_.size(), std::memory_order_relaxed);
    }
  }

  // The pool is gone: from here on a buffer that comes back is freed.
  void close() noexcept {
    const std::lock_guard lock(mutex_);
    closed_.store(true, std::memory_order_relaxed);
    for (BufferBlock* block : cached_) free(block);
    for (BufferBlock* block : returned_) free(block);
    cached_.clear();
    returned_.clear();
  }

  std::size_t trim() {
    drain();
    const std::size_t freed =
        cached_.size() <= kFewBuffers ? cached_.size() : (cached_.size() + 1) / 2;
    // The front of the stack has been left alone the longest.
    const auto end = cached_.begin() + static_cast<std::ptrdiff_t>(freed);
    for (auto it = cached_.begin(); it != end; ++it) free(*it);
    cached_.erase(cached_.begin(), end);
    return freed * storage_.slot_bytes();
  }

  std::size_t buffer_bytes() const { return buffer_bytes_; }
  std::size_t cached() {
    drain();
    return cached_.size();
  }
  std::size_t loaned() {
    drain();
    return loaned_;
  }

 private:
  void claim() {
    const std::uint64_t token = thread_token();
    const std::uint64_t owner = owner_.load(std::memory_order_relaxed);
    if (owner == token) return;
    PERCH_CHECK(owner == 0);
    owner_.store(token, std::memory_order_relaxed);
  }

  void drain() {
    if (returned_count_.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(mutex_);
    loaned_ -= returned_.size();
    for (BufferBlock* block : returned_) keep(block);
    returned_.clear();
    returned_count_.store(0, std::memory_order_relaxed);
  }

  void keep(BufferBlock* block) noexcept {
    if (cached_.size() < max_cached_) {
      forbid_access(block->data(), buffer_bytes_);
      cached_.push_back(block);
    } else {
      free(block);
    }
  }

  void free(BufferBlock* block) noexcept {
    storage_.give_back(block->data());
    delete block;
  }

  const std::size_t buffer_bytes_;
  BufferStorage storage_;
  const std::size_t max_cached_;
  std::vector<BufferBlock*> cached_;
  std::size_t loaned_ = 0;
  std::atomic<std::uint64_t> owner_{0};
  std::atomic<bool> closed_{false};
  std::atomic<std::size_t> returned_count_{0};
  std::mutex mutex_;
  std::vector<BufferBlock*> returned_;
};

void BufferBlock::give_back() noexcept {
  const std::shared_ptr<BufferPoolState> state = std::move(state_);
  state->put(this);
}

}  // namespace detail

Buffer::Buffer(Buffer&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  if (this != &other) {
    reset();
    block_ = std::exchange(other.block_, nullptr);
  }
  return *this;
}

Buffer::~Buffer() { reset(); }

std::span<std::byte> Buffer::span() const {
  if (block_ == nullptr) return {};
  return {block_->data(), block_->size()};
}

Bytes Buffer::freeze(std::size_t size) && {
  PERCH_CHECK(size <= this->size());
  if (size == 0) {
    reset();
    return {};
  }
  detail::BufferBlock* block = std::exchange(block_, nullptr);
  return Bytes::adopt(block, block->data(), size);
}

void Buffer::reset() {
  if (block_ != nullptr) std::exchange(block_, nullptr)->give_back();
}

BufferPool::BufferPool(std::size_t buffer_bytes, std::size_t cached_bytes) {
  PERCH_CHECK(buffer_bytes > 0);
  state_ = std::make_shared<detail::BufferPoolState>(buffer_bytes, cached_bytes);
}

BufferPool::~BufferPool() { state_->close(); }

Buffer BufferPool::take() {
  detail::BufferBlock* block = state_->take();
  block->lend(state_);
  return Buffer(block);
}

std::size_t BufferPool::trim() { return state_->trim(); }
std::size_t BufferPool::buffer_bytes() const { return state_->buffer_bytes(); }
std::size_t BufferPool::cached() const { return state_->cached(); }
std::size_t BufferPool::loaned() const { return state_->loaned(); }

}  // namespace perch::memory
