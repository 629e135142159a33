// Size classes of the slab heap: steps of 16 bytes up to 512, then so many objects per chunk.
//
// Above 512 bytes the count of objects per chunk is chosen first and the size follows from it: a
// power-of-two size would lose up to one object per chunk to the chunk's header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "perch/memory/slab.h"

namespace perch::memory {

inline constexpr std::size_t kSlabAlignment = 16;
inline constexpr std::size_t kChunkBytes = 65536;
inline constexpr std::size_t kChunkHeaderBytes = 48;

namespace detail {
inline constexpr std::size_t kFineClasses = 32;
inline constexpr std::array<std::uint16_t, 23> kObjectsPerChunk = {
    110, 96, 84, 73, 63, 56, 48, 42, 36, 31, 28, 24, 21, 18, 16, 15, 14, 12, 11, 10, 9, 8, 7};
}  // namespace detail

inline constexpr std::size_t kSlabClasses = detail::kFineClasses + detail::kObjectsPerChunk.size();

// Bytes of an object of each class.
inline constexpr std::array<std::uint16_t, kSlabClasses> kSlabClassBytes = [] {
  std::array<std::uint16_t, kSlabClasses> bytes{};
  for (std::size_t i = 0; i < kSlabClasses; ++i) {
    if (i < detail::kFineClasses) {
      bytes[i] = static_cast<std::uint16_t>((i + 1) * kSlabAlignment);
    } else {
      const std::size_t room = kChunkBytes - kChunkHeaderBytes;
      const std::size_t each = room / detail::kObjectsPerChunk[i - detail::kFineClasses];
      bytes[i] = static_cast<std::uint16_t>(each / kSlabAlignment * kSlabAlignment);
    }
  }
  // Seven would fit at up to 9,344 bytes; what nobody asks for stays untouched at the end instead.
  bytes[kSlabClasses - 1] = kMaxSlabSize;
  return bytes;
}();

// The class of every size, by 16-byte units.
inline constexpr std::array<std::uint8_t, kMaxSlabSize / kSlabAlignment + 1> kSlabClassOfUnits =
    [] {
      std::array<std::uint8_t, kMaxSlabSize / kSlabAlignment + 1> classes{};
      std::uint8_t current = 0;
      for (std::size_t units = 0; units < classes.size(); ++units) {
        if (units * kSlabAlignment > kSlabClassBytes[current]) ++current;
        classes[units] = current;
      }
      return classes;
    }();

// REQUIRES: size <= kMaxSlabSize.
inline std::size_t slab_class_of(std::size_t size) {
  return kSlabClassOfUnits[(size + kSlabAlignment - 1) / kSlabAlignment];
}

}  // namespace perch::memory
