// The Huffman code of RFC 7541 appendix B. The code is canonical: codes ascend by length, and by
// symbol within a length. So the lengths are all there is to write down.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace perch::http2 {

inline constexpr std::size_t kHuffmanSymbols = 257;  // all bytes, and the end of string

// clang-format off
inline constexpr std::array<std::uint8_t, kHuffmanSymbols> kHuffmanLengths = {
    13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
    28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
    6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
    13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
    7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
    15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
    6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
    20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
    24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
    22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
    21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
    26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
    19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
    20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
    26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
    30,
};
// clang-format on

struct HuffmanCode {
  std::uint32_t bits;  // in the low `length` bits
  std::uint8_t length;
};

constexpr std::array<HuffmanCode, kHuffmanSymbols> make_huffman_codes() {
  std::array<HuffmanCode, kHuffmanSymbols> codes{};
  std::uint32_t next = 0;
  for (std::uint8_t length = 1; length <= 30; ++length, next <<= 1) {
    for (std::size_t symbol = 0; symbol < kHuffmanSymbols; ++symbol) {
      if (kHuffmanLengths[symbol] == length) codes[symbol] = {next++, length};
    }
  }
  return codes;
}
inline constexpr auto kHuffmanCodes = make_huffman_codes();

// A complete code ends with all ones.
static_assert(kHuffmanCodes[256].bits == 0x3fff'ffff && kHuffmanCodes[256].length == 30);

}  // namespace perch::http2
