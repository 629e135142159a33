// Integers as frames carry them: most significant byte first (RFC 9113 section 2.2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace perch::http2 {

inline std::uint32_t load_be(const std::byte* in, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i)
    value = value << 8 | std::to_integer<std::uint32_t>(in[i]);
  return value;
}
inline std::uint16_t load_be16(const std::byte* in) {
  return static_cast<std::uint16_t>(load_be(in, 2));
}
inline std::uint32_t load_be24(const std::byte* in) { return load_be(in, 3); }
inline std::uint32_t load_be32(const std::byte* in) { return load_be(in, 4); }
inline std::uint64_t load_be64(const std::byte* in) {
  return std::uint64_t{load_be32(in)} << 32 | load_be32(in + 4);
}

// Each returns the place after what it wrote.
inline std::byte* store_be(std::uint64_t value, std::size_t bytes, std::byte* out) {
  for (std::size_t i = bytes; i-- > 0; value >>= 8) out[i] = static_cast<std::byte>(value);
  return out + bytes;
}
inline std::byte* store_be16(std::uint16_t value, std::byte* out) {
  return store_be(value, 2, out);
}
inline std::byte* store_be24(std::uint32_t value, std::byte* out) {
  return store_be(value, 3, out);
}
inline std::byte* store_be32(std::uint32_t value, std::byte* out) {
  return store_be(value, 4, out);
}
inline std::byte* store_be64(std::uint64_t value, std::byte* out) {
  return store_be(value, 8, out);
}

}  // namespace perch::http2
