#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

using Indexing = HpackEncoder::Indexing;

// Small enough for every connection to have one.
static_assert(sizeof(HpackEncoder) <= 32);

Bytes block_of(HpackEncoder& encoder, const FieldList& fields,
               Indexing indexing = Indexing::kIncremental) {
  Bytes out;
  encoder.begin_block(out);
  for (const DecodedField& field : fields) encoder.encode(field.name, field.value, indexing, out);
  return out;
}

TEST(HpackEncoder, SaysARepeatedFieldInOneOctet) {
  HpackEncoder encoder;
  block_of(encoder, {{"etag", "\"a\""}});
  EXPECT_EQ(to_hex(block_of(encoder, {{"etag", "\"a\""}})), "be");
  block_of(encoder, {{"etag", "\"b\""}});
  EXPECT_EQ(to_hex(block_of(encoder, {{"etag", "\"a\""}, {"etag", "\"b\""}})), "bfbe");
}

TEST(HpackEncoder, OnlyIncrementalFieldsEnterTheTable) {
  HpackEncoder encoder;
  EXPECT_EQ(to_hex(block_of(encoder, {{"age", "1"}}, Indexing::kWithout)), "0f060131");
  EXPECT_EQ(to_hex(block_of(encoder, {{"age", "1"}}, Indexing::kNever)), "1f060131");
  EXPECT_EQ(encoder.entries(), 0U);
  EXPECT_EQ(encoder.revision(), 0U);
  EXPECT_EQ(to_hex(block_of(encoder, {{"age", "1"}}, Indexing::kIncremental)), "550131");
  EXPECT_EQ(encoder.entries(), 1U);
}

TEST(HpackEncoder, NeverIndexedFieldsStayLiteralEvenWhereATableHasThem) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}});
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "1"}}, Indexing::kWithout)), "be");
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "1"}}, Indexing::kNever)), "1f2f0131");
  EXPECT_EQ(to_hex(block_of(encoder, {{":method", "GET"}}, Indexing::kNever)), "1203474554");
}

TEST(HpackEncoder, NamesComeFromTheNewestEntryOfThatName) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}, {"y", "1"}});
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "2"}})), "7f000132");
}

TEST(HpackEncoder, AFieldLargerThanTheTableLeavesItAlone) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}});
  const std::uint32_t revision = encoder.revision();
  block_of(encoder, {{"x", std::string(4096 - 32, '!')}});
  EXPECT_EQ(encoder.entries(), 1U);
  EXPECT_EQ(encoder.revision(), revision);
  block_of(encoder, {{"x", std::string(4096 - 33, '!')}});
  EXPECT_EQ(encoder.entries(), 1U);  // in place of the first
  EXPECT_NE(encoder.revision(), revision);
}

TEST(HpackEncoder, EmptyNamesAndValuesAreFields) {
  HpackEncoder encoder;
  PeerInflater peer;
  FieldList fields;
  ASSERT_TRUE(peer.decode(block_of(encoder, {{"x", ""}, {"", ""}, {"", "y"}, {"", ""}}), fields));
  EXPECT_EQ(fields, (FieldList{{"x", ""}, {"", ""}, {"", "y"}, {"", ""}}));
  EXPECT_EQ(encoder.entries(), 3U);
}

TEST(HpackEncoder, SignalsItsOwnSmallerLimitOnce) {
  HpackEncoder encoder(256);
  EXPECT_TRUE(encoder.size_update_pending());
  EXPECT_EQ(encoder.table_size_in_force(), 4096U);
  EXPECT_EQ(to_hex(block_of(encoder, {})), "3fe101");
  EXPECT_FALSE(encoder.size_update_pending());
  EXPECT_EQ(encoder.table_size_in_force(), 256U);
  EXPECT_EQ(to_hex(block_of(encoder, {})), "");
}

TEST(HpackEncoder, ALargerPeerLimitChangesNothing) {
  HpackEncoder encoder;
  encoder.set_peer_limit(65'536);
  EXPECT_FALSE(encoder.size_update_pending());
}

TEST(HpackEncoder, UsesALargerTableWhereBothAllow) {
  HpackEncoder encoder(65'536);
  EXPECT_FALSE(encoder.size_update_pending());
  encoder.set_peer_limit(8'192);
  EXPECT_EQ(to_hex(block_of(encoder, {})), "3fe13f");
  EXPECT_EQ(encoder.table_size_in_force(), 8'192U);
}

TEST(HpackEncoder, SignalsTheSmallestSizeAndThenTheLast) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}, {"y", "2"}});
  encoder.set_peer_limit(0);
  encoder.set_peer_limit(100);
  encoder.set_peer_limit(4096);
  const std::uint32_t revision = encoder.revision();
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "1"}})),
            "203fe11f"
            "4001780131");
  EXPECT_EQ(encoder.entries(), 1U);
  EXPECT_NE(encoder.revision(), revision);
}

TEST(HpackEncoder, ADueSizeUpdateIsANewRevision) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}});
  const std::uint32_t revision = encoder.revision();
  encoder.set_peer_limit(8'192);
  EXPECT_EQ(encoder.revision(), revision);
  encoder.set_peer_limit(100);
  EXPECT_NE(encoder.revision(), revision);
}

TEST(HpackEncoder, ADipThatEndsAtTheSmallestIsOneUpdate) {
  HpackEncoder encoder;
  encoder.set_peer_limit(100);
  encoder.set_peer_limit(31);
  EXPECT_EQ(to_hex(block_of(encoder, {})), "3f00");
}

TEST(HpackEncoder, ForgettingCostsNothingOnTheWireAndCountsFromTheNewest) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}, {"y", "2"}});
  const std::uint32_t revision = encoder.revision();
  encoder.forget();
  EXPECT_EQ(encoder.entries(), 0U);
  EXPECT_NE(encoder.revision(), revision);
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "1"}})), "4001780131");
  EXPECT_EQ(to_hex(block_of(encoder, {{"x", "1"}})), "be");
}

TEST(HpackEncoder, RestoredWithTheSizeInForceOwesNoUpdate) {
  for (const bool limit_first : {false, true}) {
    HpackEncoder encoder;
    if (limit_first) encoder.set_peer_limit(1000);
    encoder.assume_table_size(1000);
    if (!limit_first) encoder.set_peer_limit(1000);
    EXPECT_FALSE(encoder.size_update_pending());
    EXPECT_EQ(encoder.table_size_in_force(), 1000U);
  }
}

TEST(HpackEncoder, MovesWithItsTable) {
  HpackEncoder encoder;
  block_of(encoder, {{"x", "1"}});
  HpackEncoder moved = std::move(encoder);
  EXPECT_EQ(to_hex(block_of(moved, {{"x", "1"}})), "be");
}

}  // namespace
}  // namespace perch::http2::testing
