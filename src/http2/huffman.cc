#include "http2/big_endian.h"
#include "http2/huffman_code.h"
#include "perch/http2/hpack.h"

namespace perch::http2 {

std::size_t huffman_encoded_size(std::string_view text) {
  std::size_t bits = 0;
  for (const char c : text) bits += kHuffmanLengths[static_cast<unsigned char>(c)];
  return (bits + 7) / 8;
}

void huffman_encode(std::string_view text, std::vector<std::byte>& out) {
  const std::size_t begin = out.size();
  out.resize(begin + huffman_encoded_size(text));
  std::byte* to = out.data() + begin;
  std::uint64_t pending = 0;
  unsigned pending_bits = 0;  // below 32 between symbols; a code has at most 30
  for (const char c : text) {
    const HuffmanCode code = kHuffmanCodes[static_cast<unsigned char>(c)];
    pending = pending << code.length | code.bits;
    pending_bits += code.length;
    if (pending_bits >= 32) {
      pending_bits -= 32;
      to = store_be32(static_cast<std::uint32_t>(pending >> pending_bits), to);
    }
  }
  // The last octet is filled up with the first bits of the end of string: ones.
  const unsigned padding = (8 - pending_bits % 8) % 8;
  pending = pending << padding | ((1U << padding) - 1);
  store_be(pending, (pending_bits + padding) / 8, to);
}

}  // namespace perch::http2
