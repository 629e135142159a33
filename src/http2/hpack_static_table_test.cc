#include "http2/hpack_static_table.h"

#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "http2/hpack_hash.h"

namespace perch::http2::testing {
namespace {

TEST(StaticTable, IsThePeers) {
  PeerInflater peer;
  for (std::size_t i = 1; i <= kStaticEntries; ++i) {
    FieldList fields;
    const std::byte block[] = {static_cast<std::byte>(0x80 | i)};
    ASSERT_TRUE(peer.decode(block, fields));
    EXPECT_EQ(fields[0].name, static_entry(i).name);
    EXPECT_EQ(fields[0].value, static_entry(i).value);
  }
}

StaticMatch find(std::string_view name, std::string_view value) {
  return find_static(name, hpack_hash(name), value);
}

TEST(StaticTable, FindsEveryEntryAndEveryName) {
  for (std::size_t i = 1; i <= kStaticEntries; ++i) {
    const StaticEntry& entry = static_entry(i);
    EXPECT_EQ(find(entry.name, entry.value).index, i);
    EXPECT_TRUE(find(entry.name, entry.value).value);
    const StaticMatch other = find(entry.name, "another value");
    EXPECT_FALSE(other.value);
    EXPECT_EQ(static_entry(other.index).name, entry.name);
    EXPECT_LE(other.index, i);
  }
}

TEST(StaticTable, DoesNotFindWhatIsNotThere) {
  for (std::string_view name : {"", "x", ":statu", ":status ", "date2", "x-request-id"}) {
    EXPECT_EQ(find(name, "").index, 0) << name;
  }
}

TEST(HpackHash, IsTheSameAtCompileTimeAndDiffersByValueAndSeed) {
  constexpr std::uint32_t kCompiled = hpack_hash("strict-transport-security", 7);
  const std::string text = "strict-transport-security";
  EXPECT_EQ(hpack_hash(text, 7), kCompiled);
  EXPECT_NE(hpack_hash(text, 8), kCompiled);
  EXPECT_NE(hpack_hash("strict-transport-securitx", 7), kCompiled);
}

}  // namespace
}  // namespace perch::http2::testing
