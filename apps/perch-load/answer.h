// What came back for a request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace perch::load {

// A final response, or why there is none.
struct Answer {
  static constexpr std::uint64_t kHashStart = 0xcbf2'9ce4'8422'2325;

  std::uint16_t status = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t body_hash = kHashStart;  // FNV-1a, 64 bits
  std::string_view failure;              // static text; empty for a complete response

  void add_body(std::span<const std::byte> data) {
    body_bytes += data.size();
    for (const std::byte byte : data) {
      body_hash = (body_hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100'0000'01b3;
    }
  }
  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace perch::load
