// Numbers of parked records: base-128, least significant group first, at most 32 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perch::http2 {

inline void put_varint(std::vector<std::byte>& out, std::uint32_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<std::byte>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<std::byte>(value));
}

// Reads a record front to back. A read past the end or a value above its maximum makes the reader
// bad; a bad reader gives zeros.
class RecordReader {
 public:
  explicit RecordReader(std::span<const std::byte> record) : rest_(record) {}

  bool good() const { return good_; }
  std::span<const std::byte> rest() const { return rest_; }

  unsigned byte() {
    if (rest_.empty()) {
      good_ = false;
      return 0;
    }
    const auto value = std::to_integer<unsigned>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }

  std::uint32_t varint(std::uint32_t maximum) {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const unsigned group = byte();
      value |= std::uint64_t{group & 0x7f} << shift;
      if ((group & 0x80) == 0) {
        if (value > maximum) break;
        return static_cast<std::uint32_t>(value);
      }
    }
    good_ = false;
    return 0;
  }

  std::uint32_t little_endian_32() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 32; shift += 8) value |= std::uint32_t{byte()} << shift;
    return value;
  }

 private:
  std::span<const std::byte> rest_;
  bool good_ = true;
};

}  // namespace perch::http2
