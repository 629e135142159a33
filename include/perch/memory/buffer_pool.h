// Pooled I/O buffers of one size, owned by one worker.
//
// Thread-safety: a pool and its buffers belong to one thread, except that Bytes made by
// `Buffer::freeze` may be dropped anywhere: the storage then goes back through a locked list.
// The owning thread is the one that takes the first buffer; any thread may build the pool before
// that, and destroy it once the owner has ended.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "perch/base/bytes.h"

namespace perch::memory {

class BufferPool;

namespace detail {
class BufferBlock;
class BufferPoolState;
}  // namespace detail

// A writable buffer on loan; goes back to its pool when destroyed.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  explicit operator bool() const { return block_ != nullptr; }
  std::span<std::byte> span() const;  // the whole buffer; empty for a default-constructed one
  std::byte* data() const { return span().data(); }
  std::size_t size() const { return span().size(); }

  // Ends the loan and shares the first `size` bytes; the storage goes back when the last Bytes is
  // dropped. REQUIRES: size <= this->size().
  Bytes freeze(std::size_t size) &&;
  // Gives the buffer back now.
  void reset();

 private:
  friend class BufferPool;
  explicit Buffer(detail::BufferBlock* block) : block_(block) {}
  detail::BufferBlock* block_ = nullptr;
};

class BufferPool {
 public:
  // Buffers of `buffer_bytes` usable bytes; at most `cached_bytes` of returned buffers are kept.
  // Storage is whole pages and holds nothing else (the headers lie apart), so a multiple of 4096
  // wastes nothing. REQUIRES: buffer_bytes > 0.
  BufferPool(std::size_t buffer_bytes, std::size_t cached_bytes);
  ~BufferPool();  // storage still on loan stays valid and is freed when it comes back
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  Buffer take();

  // Frees the longest unused half of the cached buffers (all when at most four are left). Returns
  // the bytes freed.
  std::size_t trim();

  std::size_t buffer_bytes() const;
  std::size_t cached() const;  // buffers kept
  std::size_t loaned() const;  // buffers out, frozen ones included

 private:
  std::shared_ptr<detail::BufferPoolState> state_;
};

}  // namespace perch::memory
