// Bytes: immutable, shared slices of storage.
//
// A Bytes is a pointer, a length and a reference to whatever keeps the storage alive: a heap block,
// a buffer of a pool, a mapped file, or nothing (static storage). Copying shares; slicing shares.
//
// Thread-safety: distinct Bytes objects that share storage may be used from different threads; one
// Bytes object may not be written from two. The storage never changes after the Bytes was made.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace perch {

// Storage that Bytes may refer to. Derived types say in `release` how it ends; `release` is called
// once, by the thread that drops the last reference.
class BytesOwner {
 public:
  using Release = void (*)(BytesOwner*) noexcept;
  explicit BytesOwner(Release release) : release_(release) {}
  BytesOwner(const BytesOwner&) = delete;
  BytesOwner& operator=(const BytesOwner&) = delete;

  void retain() noexcept { references_.fetch_add(1, std::memory_order_relaxed); }
  void drop() noexcept {
    // A sole owner skips the locked instruction: nobody else can take a reference meanwhile.
    if (references_.load(std::memory_order_acquire) == 1 ||
        references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      release_(this);
    }
  }

 protected:
  ~BytesOwner() = default;

  // For owners that are used again after `release`: one reference again, held by the caller.
  void revive() noexcept { references_.store(1, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint32_t> references_{1};
  Release release_;
};

class Bytes {
 public:
  constexpr Bytes() = default;

  // Shares `owner`'s storage: takes over one reference that the caller holds.
  static Bytes adopt(BytesOwner* owner, const std::byte* data, std::size_t size) {
    return Bytes(owner, data, size);
  }
  // Refers to storage that outlives the process's use of it, such as a literal.
  static Bytes from_static(std::string_view text) {
    return Bytes(nullptr, reinterpret_cast<const std::byte*>(text.data()), text.size());
  }
  // Copies `text` into a heap block of exactly its size (one allocation; none when empty).
  static Bytes copy(std::string_view text);
  static Bytes copy(std::span<const std::byte> data);

  Bytes(const Bytes& other) noexcept
      : owner_(other.owner_), data_(other.data_), size_(other.size_) {
    if (owner_ != nullptr) owner_->retain();
  }
  Bytes(Bytes&& other) noexcept
      : owner_(std::exchange(other.owner_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Bytes& operator=(Bytes other) noexcept {
    std::swap(owner_, other.owner_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Bytes() {
    if (owner_ != nullptr) owner_->drop();
  }

  const std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::span<const std::byte> span() const { return {data_, size_}; }
  std::string_view view() const { return {reinterpret_cast<const char*>(data_), size_}; }

  // An empty slice refers to no storage, so a slice that was read to its end pins nothing.
  // REQUIRES: offset + length <= size().
  Bytes slice(std::size_t offset, std::size_t length) const;
  // Cuts the first `length` bytes off this slice and returns them. REQUIRES: length <= size().
  Bytes take_front(std::size_t length);
  // REQUIRES: length <= size().
  void drop_front(std::size_t length);

 private:
  Bytes(BytesOwner* owner, const std::byte* data, std::size_t size)
      : owner_(owner), data_(data), size_(size) {}

  BytesOwner* owner_ = nullptr;
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(std::span<const std::byte> data) {
  return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace perch
