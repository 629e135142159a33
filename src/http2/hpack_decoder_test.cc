#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

// Small enough for every connection to have one.
static_assert(sizeof(HpackDecoder) <= 32);

bool decodes(HpackDecoder& decoder, std::string_view hex, FieldList* fields = nullptr) {
  CollectingSink sink;
  const bool decoded = decoder.decode(from_hex(hex), true, sink);
  if (fields != nullptr) *fields = sink.fields;
  return decoded;
}

std::string blob_of(const HpackDecoder& decoder) {
  Bytes blob;
  decoder.park(blob);
  return to_hex(blob);
}

TEST(HpackDecoder, HasNoInflaterBeforeTheFirstBlock) {
  HpackDecoder decoder;
  EXPECT_FALSE(decoder.live());
  EXPECT_EQ(decoder.table_bytes(), 0U);
  EXPECT_EQ(blob_of(decoder), "");
  EXPECT_TRUE(decodes(decoder, "82"));
  EXPECT_TRUE(decoder.live());
  EXPECT_EQ(blob_of(decoder), "");
}

TEST(HpackDecoder, TakesABlockInFragmentsOfAnySize) {
  const Bytes block = from_hex("828684418cf1e3c2e5f23a6ba0ab90f4ff");
  for (std::size_t cut = 0; cut <= block.size(); ++cut) {
    HpackDecoder decoder;
    CollectingSink sink;
    ASSERT_TRUE(decoder.decode(std::span(block).first(cut), false, sink));
    ASSERT_TRUE(decoder.decode({}, false, sink));
    ASSERT_TRUE(decoder.decode(std::span(block).subspan(cut), false, sink));
    ASSERT_TRUE(decoder.decode({}, true, sink));
    EXPECT_EQ(sink.fields.size(), 4U);
    EXPECT_EQ(sink.fields.back(), (DecodedField{":authority", "www.example.com"}));
  }
}

TEST(HpackDecoder, AnEmptyBlockHasNoFields) {
  HpackDecoder decoder;
  FieldList fields;
  EXPECT_TRUE(decodes(decoder, "", &fields));
  EXPECT_TRUE(fields.empty());
}

TEST(HpackDecoder, RefusesBrokenBlocksForGood) {
  for (std::string_view broken :
       {"80", "be", "ff80808080808080808080", "418cf1e3", "0001 78 84 ffffffff",
        "3fe21f" /* 4,097 */, "82 20" /* a size update after a field */}) {
    HpackDecoder decoder;
    EXPECT_FALSE(decodes(decoder, broken)) << broken;
    EXPECT_FALSE(decodes(decoder, "82")) << broken;
    EXPECT_FALSE(decoder.live());
  }
}

TEST(HpackDecoder, ParksAsSizeAndLiteralsOldestFirst) {
  HpackDecoder decoder;
  ASSERT_TRUE(decodes(decoder, "4001780131 4001790132 450133"));
  EXPECT_EQ(blob_of(decoder),
            "3fe11f"
            "4001780131"
            "4001790132"
            "440133");
}

TEST(HpackDecoder, GivesAnUnrestoredBlobBack) {
  const Bytes blob = from_hex("3fe11f4001780131");
  const HpackDecoder decoder(kDefaultHeaderTableSize, blob);
  EXPECT_FALSE(decoder.live());
  EXPECT_EQ(blob_of(decoder), to_hex(blob));
  EXPECT_EQ(decoder.table_bytes(), 34U);
  EXPECT_FALSE(decoder.live());
}

TEST(HpackDecoder, ParkAppends) {
  HpackDecoder decoder(kDefaultHeaderTableSize, from_hex("20"));
  Bytes blob = from_hex("aa");
  decoder.park(blob);
  EXPECT_EQ(to_hex(blob), "aa20");
}

TEST(HpackDecoder, ASizeOfZeroSurvivesParking) {
  HpackDecoder decoder;
  ASSERT_TRUE(decodes(decoder, "20"));
  EXPECT_EQ(blob_of(decoder), "20");
  HpackDecoder restored(kDefaultHeaderTableSize, from_hex("20"));
  // Larger than the table: it stays empty.
  ASSERT_TRUE(decodes(restored, "4001780131"));
  EXPECT_EQ(restored.table_bytes(), 0U);
  EXPECT_EQ(blob_of(restored), "20");
  ASSERT_TRUE(decodes(restored, "3fe11f"));
  EXPECT_EQ(blob_of(restored), "");
}

TEST(HpackDecoder, ABlobThatDoesNotDecodeFailsTheNextBlock) {
  HpackDecoder decoder(kDefaultHeaderTableSize, from_hex("be"));
  EXPECT_EQ(decoder.table_bytes(), 0U);
  EXPECT_FALSE(decodes(decoder, "82"));
}

TEST(HpackDecoder, ALargerAnnouncedTableIsThePeersToTake) {
  HpackDecoder decoder(8'192);
  ASSERT_TRUE(decodes(decoder, "82"));
  EXPECT_EQ(blob_of(decoder), "");
  ASSERT_TRUE(decodes(decoder, "3fe13f"));  // 8,192
  EXPECT_EQ(blob_of(decoder), "3fe13f");
  HpackDecoder restored(8'192, from_hex("3fe13f"));
  ASSERT_TRUE(decodes(restored, "3fe13f"));
  EXPECT_FALSE(decodes(restored, "3fe23f"));  // 8,193
}

TEST(HpackDecoder, ASmallerAnnouncedTableBindsOnceAcknowledged) {
  HpackDecoder decoder(100);
  ASSERT_TRUE(decodes(decoder, "4001780131 4001790131"));  // the setting is still on its way
  decoder.settings_acknowledged();
  HpackDecoder same(100, from_hex(blob_of(decoder)));
  for (HpackDecoder* each : {&decoder, &same}) {
    EXPECT_EQ(each->table_bytes(), 68U);
    ASSERT_TRUE(decodes(*each, "3f45 bf"));  // 100
    EXPECT_FALSE(decodes(*each, "3f46"));    // 101
  }
}

TEST(HpackDecoder, AfterTheAcknowledgementTheNextBlockMustBeginWithTheUpdate) {
  for (const bool live_before : {false, true}) {
    for (const bool parked : {false, true}) {
      HpackDecoder decoder(100);
      if (live_before) {
        ASSERT_TRUE(decodes(decoder, "82"));
      }
      decoder.settings_acknowledged();
      if (parked) decoder = HpackDecoder(100, from_hex(blob_of(decoder)));
      EXPECT_FALSE(decodes(decoder, "82")) << live_before << parked;
    }
  }
}

TEST(HpackDecoder, MovesWithItsInflater) {
  HpackDecoder decoder;
  ASSERT_TRUE(decodes(decoder, "4001780131"));
  HpackDecoder moved = std::move(decoder);
  FieldList fields;
  ASSERT_TRUE(decodes(moved, "be", &fields));
  EXPECT_EQ(fields, (FieldList{{"x", "1"}}));
}

}  // namespace
}  // namespace perch::http2::testing
