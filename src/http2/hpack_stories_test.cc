// The stories of http2jp/hpack-test-case, in and out.
#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "http2/codec_test_vectors.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

class HpackStories : public ::testing::Test {
 protected:
  void SetUp() override {
    stories_ = load_hpack_stories();
    if (stories_.empty()) GTEST_SKIP() << kNoVectors;
    EXPECT_EQ(stories_.size(), 24U);
  }
  std::vector<Story> stories_;
};

// The limits in the stories stay below the default, and their encoders keep to them: a decoder that
// announced the default is right for all of them.
TEST_F(HpackStories, DecodeToTheirFields) {
  for (const Story& story : stories_) {
    HpackDecoder decoder;
    for (const StoryBlock& block : story.blocks) {
      CollectingSink sink;
      ASSERT_TRUE(decoder.decode(block.wire, true, sink)) << story.name;
      EXPECT_EQ(sink.fields, block.fields) << story.name;
    }
  }
}

TEST_F(HpackStories, DecodeOctetByOctet) {
  for (const Story& story : stories_) {
    HpackDecoder decoder;
    for (const StoryBlock& block : story.blocks) {
      CollectingSink sink;
      for (const std::byte& octet : block.wire) {
        ASSERT_TRUE(decoder.decode({&octet, 1}, false, sink)) << story.name;
      }
      ASSERT_TRUE(decoder.decode({}, true, sink)) << story.name;
      EXPECT_EQ(sink.fields, block.fields) << story.name;
    }
  }
}

TEST_F(HpackStories, DecodeWhenParkedAfterEveryBlock) {
  for (const Story& story : stories_) {
    HpackDecoder never_parked;
    HpackDecoder decoder;
    for (const StoryBlock& block : story.blocks) {
      CollectingSink sink;
      ASSERT_TRUE(decoder.decode(block.wire, true, sink)) << story.name;
      EXPECT_EQ(sink.fields, block.fields) << story.name;
      CollectingSink ignored;
      ASSERT_TRUE(never_parked.decode(block.wire, true, ignored));
      EXPECT_EQ(decoder.table_bytes(), never_parked.table_bytes()) << story.name;

      Bytes blob;
      decoder.park(blob);
      decoder = HpackDecoder(kDefaultHeaderTableSize, blob);
      EXPECT_FALSE(decoder.live());
    }
  }
}

TEST_F(HpackStories, AreUnderstoodByAPeerWhenEncodedAgain) {
  for (const Story& story : stories_) {
    HpackEncoder encoder;
    PeerInflater peer;
    for (const StoryBlock& block : story.blocks) {
      if (block.header_table_size) {
        encoder.set_peer_limit(*block.header_table_size);
        peer.set_limit(*block.header_table_size);
      }
      Bytes wire;
      encoder.begin_block(wire);
      for (const DecodedField& field : block.fields) {
        encoder.encode(field.name, field.value, HpackEncoder::Indexing::kIncremental, wire);
      }
      FieldList fields;
      ASSERT_TRUE(peer.decode(wire, fields)) << story.name;
      EXPECT_EQ(fields, block.fields) << story.name;
      EXPECT_EQ(encoder.entries(), peer.entries()) << story.name;
      EXPECT_EQ(encoder.table_size_in_force(), peer.size_in_force()) << story.name;
    }
  }
}

}  // namespace
}  // namespace perch::http2::testing
