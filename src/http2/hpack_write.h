// The representations of RFC 7541 sections 5 and 6, appended to a vector.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace perch::http2::hpack {

// What the first octet of a representation says (RFC 7541 section 6).
struct Pattern {
  std::uint8_t bits;
  std::uint8_t prefix;  // bits left for an integer
};
inline constexpr Pattern kIndexed{0x80, 7};
inline constexpr Pattern kLiteralIncremental{0x40, 6};
inline constexpr Pattern kLiteralWithout{0x00, 4};
inline constexpr Pattern kLiteralNever{0x10, 4};
inline constexpr Pattern kSizeUpdate{0x20, 5};

void append_integer(Pattern pattern, std::uint32_t value, std::vector<std::byte>& out);
// Huffman coded where that is shorter.
void append_string(std::string_view text, std::vector<std::byte>& out);
// `name_index` 0: the name is spelled out.
void append_literal(Pattern pattern, std::uint32_t name_index, std::string_view name,
                    std::string_view value, std::vector<std::byte>& out);

}  // namespace perch::http2::hpack
