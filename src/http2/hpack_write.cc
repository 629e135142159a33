#include "http2/hpack_write.h"

#include "perch/http2/hpack.h"

namespace perch::http2::hpack {

void append_integer(Pattern pattern, std::uint32_t value, std::vector<std::byte>& out) {
  const std::uint32_t most = (1U << pattern.prefix) - 1;
  if (value < most) {
    out.push_back(static_cast<std::byte>(pattern.bits | value));
    return;
  }
  out.push_back(static_cast<std::byte>(pattern.bits | most));
  value -= most;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::byte>(0x80 | (value & 0x7f)));
  out.push_back(static_cast<std::byte>(value));
}

void append_string(std::string_view text, std::vector<std::byte>& out) {
  constexpr Pattern kRaw{0x00, 7};
  constexpr Pattern kHuffman{0x80, 7};
  const std::size_t coded = huffman_encoded_size(text);
  if (coded < text.size()) {
    append_integer(kHuffman, static_cast<std::uint32_t>(coded), out);
    huffman_encode(text, out);
    return;
  }
  append_integer(kRaw, static_cast<std::uint32_t>(text.size()), out);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  out.insert(out.end(), bytes, bytes + text.size());
}

void append_literal(Pattern pattern, std::uint32_t name_index, std::string_view name,
                    std::string_view value, std::vector<std::byte>& out) {
  append_integer(pattern, name_index, out);
  if (name_index == 0) append_string(name, out);
  append_string(value, out);
}

}  // namespace perch::http2::hpack
