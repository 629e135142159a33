#include "perch/http2/stream_table.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

class StreamTableTest : public ::testing::Test {
 protected:
  std::unique_ptr<Stream> stream(StreamId id) {
    return std::make_unique<Stream>(wire_.session(), id, 0, 0);
  }
  testing::Wire wire_;  // streams refer to a session
  StreamTable table_;
};

TEST_F(StreamTableTest, StartsEmptyAndFindsNothing) {
  EXPECT_EQ(table_.size(), 0u);
  EXPECT_EQ(table_.find(1), nullptr);
  EXPECT_EQ(table_.any(), nullptr);
}

TEST_F(StreamTableTest, FindsWhatWasInsertedUntilItIsRemoved) {
  table_.insert(stream(1));
  table_.insert(stream(kLargestStreamId));
  EXPECT_EQ(table_.find(1)->id(), 1u);
  EXPECT_EQ(table_.find(kLargestStreamId)->id(), kLargestStreamId);
  EXPECT_EQ(table_.find(3), nullptr);
  EXPECT_EQ(table_.remove(1)->id(), 1u);
  EXPECT_EQ(table_.find(1), nullptr);
  EXPECT_EQ(table_.any()->id(), kLargestStreamId);
}

TEST_F(StreamTableTest, KeepsStreamsApartWhoseIdsCollide) {
  // With 8 slots these share a home.
  for (const StreamId id : {1u, 17u, 33u}) table_.insert(stream(id));
  table_.remove(1);
  EXPECT_EQ(table_.find(17)->id(), 17u);
  EXPECT_EQ(table_.find(33)->id(), 33u);
  table_.remove(17);
  EXPECT_EQ(table_.find(33)->id(), 33u);
  EXPECT_EQ(table_.find(1), nullptr);
}

TEST_F(StreamTableTest, BehavesAsAMapOnRandomOperations) {
  std::mt19937 random(41);
  std::map<StreamId, bool> model;
  for (int i = 0; i < 20'000; ++i) {
    // Few ids, some of them far apart, so that probes wrap and runs overlap.
    const StreamId id = (random() % 40) * 2 + 1 + (random() % 4) * 4096;
    if (model.erase(id) > 0) {
      ASSERT_EQ(table_.remove(id)->id(), id);
    } else {
      model[id] = true;
      table_.insert(stream(id));
    }
    ASSERT_EQ(table_.size(), model.size());
    std::size_t visited = 0;
    table_.for_each([&](Stream& s) { visited += model.contains(s.id()) ? 1 : 0; });
    ASSERT_EQ(visited, model.size());
    for (const auto& [known, unused] : model) ASSERT_NE(table_.find(known), nullptr) << known;
    ASSERT_EQ(table_.find(id) != nullptr, model.contains(id));
  }
}

}  // namespace
}  // namespace perch::http2
