// The hash of field names and values in the encoder's tables. Usable at compile time, for the
// static table. Not keyed: what the encoder sees is chosen by this side, and a chain is at most as
// long as the table.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace perch::http2 {
namespace hash_detail {

// `size` is 4 or 8.
constexpr std::uint64_t load_le(const char* in, std::size_t size) {
  if constexpr (std::endian::native == std::endian::little) {
    if (!std::is_constant_evaluated()) {
      if (size == 8) {
        std::uint64_t word;
        std::memcpy(&word, in, 8);
        return word;
      }
      std::uint32_t word;
      std::memcpy(&word, in, 4);
      return word;
    }
  }
  std::uint64_t word = 0;
  for (std::size_t i = size; i-- > 0;) word = word << 8 | static_cast<unsigned char>(in[i]);
  return word;
}

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9e37'79b9'7f4a'7c15;
  return hash ^ hash >> 32;
}

}  // namespace hash_detail

constexpr std::uint32_t hpack_hash(std::string_view text, std::uint32_t seed = 0) {
  const char* in = text.data();
  std::size_t left = text.size();
  std::uint64_t hash = hash_detail::mix(seed, left);
  for (; left > 8; left -= 8, in += 8) hash = hash_detail::mix(hash, hash_detail::load_le(in, 8));
  std::uint64_t last = 0;
  if (left >= 4) {  // two loads that may overlap
    last = hash_detail::load_le(in, 4) | hash_detail::load_le(in + left - 4, 4) << 32;
  } else if (left > 0) {
    last = static_cast<unsigned char>(in[0]) |
           std::uint64_t{static_cast<unsigned char>(in[left / 2])} << 8 |
           std::uint64_t{static_cast<unsigned char>(in[left - 1])} << 16;
  }
  return static_cast<std::uint32_t>(hash_detail::mix(hash, last));
}

}  // namespace perch::http2
