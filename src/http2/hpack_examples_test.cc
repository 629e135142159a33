// RFC 7541 appendix C. Decoded as printed; encoded where the choices of the appendix are ours too
// (Huffman where it is shorter, everything indexed).
#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "http2/hpack_write.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

struct Example {
  std::string_view wire;
  FieldList fields;
  std::size_t table_bytes;
};

void expect_decodes(HpackDecoder& decoder, const Example& example) {
  CollectingSink sink;
  ASSERT_TRUE(decoder.decode(from_hex(example.wire), true, sink));
  EXPECT_EQ(sink.fields, example.fields);
  EXPECT_EQ(decoder.table_bytes(), example.table_bytes);
}

Bytes encode(HpackEncoder& encoder, const FieldList& fields) {
  Bytes out;
  encoder.begin_block(out);
  for (const DecodedField& field : fields) {
    encoder.encode(field.name, field.value, HpackEncoder::Indexing::kIncremental, out);
  }
  return out;
}

const FieldList kFirstRequest = {
    {":method", "GET"}, {":scheme", "http"}, {":path", "/"}, {":authority", "www.example.com"}};
const FieldList kSecondRequest = {{":method", "GET"},
                                  {":scheme", "http"},
                                  {":path", "/"},
                                  {":authority", "www.example.com"},
                                  {"cache-control", "no-cache"}};
const FieldList kThirdRequest = {{":method", "GET"},
                                 {":scheme", "https"},
                                 {":path", "/index.html"},
                                 {":authority", "www.example.com"},
                                 {"custom-key", "custom-value"}};
const FieldList kFirstResponse = {{":status", "302"},
                                  {"cache-control", "private"},
                                  {"date", "Mon, 21 Oct 2013 20:13:21 GMT"},
                                  {"location", "https://www.example.com"}};
const FieldList kSecondResponse = {{":status", "307"},
                                   {"cache-control", "private"},
                                   {"date", "Mon, 21 Oct 2013 20:13:21 GMT"},
                                   {"location", "https://www.example.com"}};
const FieldList kThirdResponse = {
    {":status", "200"},
    {"cache-control", "private"},
    {"date", "Mon, 21 Oct 2013 20:13:22 GMT"},
    {"location", "https://www.example.com"},
    {"content-encoding", "gzip"},
    {"set-cookie", "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1"}};

TEST(Rfc7541, C1Integers) {
  const auto integer = [](std::uint8_t prefix, std::uint32_t value) {
    Bytes out;
    hpack::append_integer({0, prefix}, value, out);
    return to_hex(out);
  };
  EXPECT_EQ(integer(5, 10), "0a");
  EXPECT_EQ(integer(5, 1337), "1f9a0a");
  EXPECT_EQ(integer(8, 42), "2a");
  EXPECT_EQ(integer(5, 31), "1f00");
  EXPECT_EQ(integer(5, 0xffff'ffff), "1fe0ffffff0f");
}

TEST(Rfc7541, C2Representations) {
  const Example examples[] = {
      {"400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572",
       {{"custom-key", "custom-header"}},
       55},
      {"040c 2f73 616d 706c 652f 7061 7468", {{":path", "/sample/path"}}, 0},
      {"1008 7061 7373 776f 7264 0673 6563 7265 74", {{"password", "secret", true}}, 0},
      {"82", {{":method", "GET"}}, 0},
  };
  for (const Example& example : examples) {
    HpackDecoder decoder;
    expect_decodes(decoder, example);
  }
  HpackEncoder encoder;
  EXPECT_EQ(to_hex(encode(encoder, {{":method", "GET"}})), "82");
}

TEST(Rfc7541, C3RequestsWithoutHuffman) {
  HpackDecoder decoder;
  expect_decodes(decoder, {"8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d", kFirstRequest, 57});
  expect_decodes(decoder, {"8286 84be 5808 6e6f 2d63 6163 6865", kSecondRequest, 110});
  expect_decodes(decoder,
                 {"8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65",
                  kThirdRequest, 164});
}

TEST(Rfc7541, C4RequestsWithHuffman) {
  const Example examples[] = {
      {"828684418cf1e3c2e5f23a6ba0ab90f4ff", kFirstRequest, 57},
      {"828684be5886a8eb10649cbf", kSecondRequest, 110},
      {"828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf", kThirdRequest, 164},
  };
  HpackDecoder decoder;
  HpackEncoder encoder;
  for (const Example& example : examples) {
    expect_decodes(decoder, example);
    EXPECT_EQ(to_hex(encode(encoder, example.fields)), example.wire);
  }
  EXPECT_EQ(encoder.entries(), 3U);
}

// C.5 and C.6 have a table of 256 bytes from the start, as a restored decoder may.
const Bytes kTableOf256 = from_hex("3fe101");

TEST(Rfc7541, C5ResponsesWithoutHuffman) {
  HpackDecoder decoder(256, kTableOf256);
  expect_decodes(decoder, {"4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420"
                           "3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77"
                           "7777 2e65 7861 6d70 6c65 2e63 6f6d",
                           kFirstResponse, 222});
  expect_decodes(decoder, {"4803 3330 37c1 c0bf", kSecondResponse, 222});
  expect_decodes(decoder, {"88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32"
                           "3220 474d 54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a"
                           "584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33"
                           "3630 303b 2076 6572 7369 6f6e 3d31",
                           kThirdResponse, 215});
}

TEST(Rfc7541, C6ResponsesWithHuffman) {
  constexpr std::string_view kFirst =
      "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b"
      "97c8e9ae82ae43d3";
  // The appendix codes "307" although that makes it no shorter; we do not.
  constexpr std::string_view kSecond = "4883640effc1c0bf";
  constexpr std::string_view kSecondOfOurs = "4803333037c1c0bf";
  constexpr std::string_view kThird =
      "88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdf"
      "cd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007";
  HpackDecoder decoder(256, kTableOf256);
  expect_decodes(decoder, {kFirst, kFirstResponse, 222});
  expect_decodes(decoder, {kSecond, kSecondResponse, 222});
  expect_decodes(decoder, {kThird, kThirdResponse, 215});

  HpackEncoder encoder(256);
  encoder.assume_table_size(256);
  EXPECT_EQ(to_hex(encode(encoder, kFirstResponse)), kFirst);
  EXPECT_EQ(to_hex(encode(encoder, kSecondResponse)), kSecondOfOurs);
  EXPECT_EQ(to_hex(encode(encoder, kThirdResponse)), kThird);
}

}  // namespace
}  // namespace perch::http2::testing
