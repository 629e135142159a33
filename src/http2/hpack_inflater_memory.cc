#include "http2/hpack_inflater_memory.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "perch/memory/slab.h"

namespace perch::http2 {
namespace {

// A free comes without the size, so it stands before each object. The alignment that is left, 8, is
// enough for what nghttp2 allocates: words, pointers and bytes.
constexpr std::size_t kPrefix = sizeof(std::size_t);

void* allocate(std::size_t size, void* /*user*/) {
  auto* block = static_cast<std::byte*>(memory::allocate(size + kPrefix));
  std::memcpy(block, &size, kPrefix);
  return block + kPrefix;
}

std::size_t size_of(const void* object) {
  std::size_t size;
  std::memcpy(&size, static_cast<const std::byte*>(object) - kPrefix, kPrefix);
  return size;
}

void release(void* object, void* /*user*/) {
  if (object == nullptr) return;
  memory::deallocate(static_cast<std::byte*>(object) - kPrefix, size_of(object) + kPrefix);
}

void* allocate_zeroed(std::size_t count, std::size_t size, void* user) {
  std::size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return std::memset(allocate(bytes, user), 0, bytes);
}

void* reallocate(void* object, std::size_t size, void* user) {
  void* moved = allocate(size, user);
  if (object == nullptr) return moved;
  std::memcpy(moved, object, std::min(size, size_of(object)));
  release(object, user);
  return moved;
}

}  // namespace

nghttp2_mem* hpack_inflater_memory() {
  static constinit nghttp2_mem memory{nullptr, allocate, release, allocate_zeroed, reallocate};
  return &memory;
}

}  // namespace perch::http2
