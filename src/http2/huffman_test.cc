#include <random>

#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "http2/huffman_code.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

// One field whose value is sent Huffman coded, whatever its length.
Bytes huffman_literal(std::string_view value) {
  Bytes coded;
  huffman_encode(value, coded);
  Bytes block = from_hex("000178");  // literal without indexing, name "x"
  std::size_t size = coded.size();
  if (size < 0x7f) {
    block.push_back(static_cast<std::byte>(0x80 | size));
  } else {
    block.push_back(std::byte{0xff});
    for (size -= 0x7f; size >= 0x80; size >>= 7) {
      block.push_back(static_cast<std::byte>(0x80 | (size & 0x7f)));
    }
    block.push_back(static_cast<std::byte>(size));
  }
  block.insert(block.end(), coded.begin(), coded.end());
  return block;
}

std::string peer_decodes(std::string_view value) {
  PeerInflater peer;
  FieldList fields;
  if (!peer.decode(huffman_literal(value), fields) || fields.size() != 1) return "not decoded";
  return fields[0].value;
}

TEST(Huffman, EveryCodeIsThePeers) {
  for (int symbol = 0; symbol < 256; ++symbol) {
    // At each of the eight bit offsets: '0' has a code of 5 bits.
    for (std::size_t offset = 0; offset < 8; ++offset) {
      const std::string text = std::string(offset, '0') + static_cast<char>(symbol) + "z";
      EXPECT_EQ(peer_decodes(text), text) << symbol;
    }
  }
}

TEST(Huffman, PeerEncodesEverySymbolToTheSameBits) {
  PeerDeflater peer;
  for (int symbol = 0; symbol < 256; ++symbol) {
    const std::string text = std::string(100, '0') + static_cast<char>(symbol);
    const Bytes block = peer.encode({{"x", text, true}});
    Bytes coded;
    huffman_encode(text, coded);
    ASSERT_GT(block.size(), coded.size());
    EXPECT_EQ(to_hex(std::span(block).last(coded.size())), to_hex(coded)) << symbol;
  }
}

TEST(Huffman, EndOfStringIsThirtyOnesAndAnErrorInAString) {
  EXPECT_EQ(kHuffmanCodes[256].bits, 0x3fff'ffffU);
  EXPECT_EQ(kHuffmanCodes[256].length, 30);
  PeerInflater peer;
  FieldList fields;
  EXPECT_FALSE(peer.decode(from_hex("000178 84 ffffffff"), fields));
}

TEST(Huffman, SizeIsThatOfTheEncoding) {
  std::mt19937 random(7541);
  for (int i = 0; i < 2'000; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random() % (i % 2 == 0 ? 128 : 256));
    Bytes coded;
    huffman_encode(text, coded);
    EXPECT_EQ(coded.size(), huffman_encoded_size(text));
    EXPECT_EQ(peer_decodes(text), text);
  }
}

TEST(Huffman, AppendsToWhatIsThere) {
  Bytes out = from_hex("aa");
  huffman_encode("", out);
  EXPECT_EQ(to_hex(out), "aa");
  huffman_encode("www.example.com", out);
  EXPECT_EQ(to_hex(out), "aaf1e3c2e5f23a6ba0ab90f4ff");
}

}  // namespace
}  // namespace perch::http2::testing
