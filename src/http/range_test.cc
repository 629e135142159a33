#include "perch/http/range.h"

#include <string>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

// "0-4,7-9", "whole" or "unsatisfiable".
std::string shown(const RangeRequest& request) {
  if (request.kind() == RangeRequest::Kind::kWhole) return "whole";
  if (request.kind() == RangeRequest::Kind::kUnsatisfiable) return "unsatisfiable";
  std::string text;
  for (const ByteRange& range : request.ranges()) {
    if (!text.empty()) text.push_back(',');
    text.append(std::to_string(range.first)).append("-").append(std::to_string(range.last));
  }
  return text;
}

struct Row {
  const char* value;
  const char* expected;
};

void check(std::uint64_t size, std::initializer_list<Row> rows) {
  for (const Row& row : rows)
    EXPECT_EQ(shown(parse_range(row.value, size)), row.expected) << row.value;
}

TEST(Range, OneRange) {
  check(100, {
                 {"bytes=0-9", "0-9"},
                 {"bytes=0-0", "0-0"},
                 {"bytes=99-99", "99-99"},
                 {"bytes=50-", "50-99"},
                 {"bytes=0-", "0-99"},
                 {"bytes=90-1000", "90-99"},
                 {"bytes=-1", "99-99"},
                 {"bytes=-100", "0-99"},
                 {"bytes=-101", "0-99"},
                 {"BYTES=0-9", "0-9"},
                 {"bytes= \t0-9 ", "0-9"},
                 {"bytes=007-009", "7-9"},
             });
}

TEST(Range, WhatHasNoByteInCommonIsUnsatisfiable) {
  check(100, {
                 {"bytes=100-", "unsatisfiable"},
                 {"bytes=100-200", "unsatisfiable"},
                 {"bytes=-0", "unsatisfiable"},
                 {"bytes=100-,200-300,-0", "unsatisfiable"},
                 {"bytes=100-,0-1", "0-1"},
             });
}

TEST(Range, WhatIsMalformedIsIgnored) {
  check(100, {
                 {"", "whole"},
                 {"bytes", "whole"},
                 {"bytes=", "whole"},
                 {"bytes=,", "whole"},
                 {"bytes=-", "whole"},
                 {"bytes=5", "whole"},
                 {"bytes=9-5", "whole"},
                 {"bytes=0-9,9-5", "whole"},
                 {"bytes=a-b", "whole"},
                 {"bytes=0x1-5", "whole"},
                 {"bytes=+1-5", "whole"},
                 {"bytes=--5", "whole"},
                 {"bytes=1 -5", "whole"},
                 {"bytes=1-5;2-3", "whole"},
                 {"bytes=1-5-9", "whole"},
                 {"bytes =0-9", "whole"},
                 {"lines=0-9", "whole"},
                 {"bytes0-9", "whole"},
                 {"\x02ytes=0-9", "whole"},
                 {"bytes\x1d"
                  "0-9",
                  "whole"},
             });
}

TEST(Range, NumbersOfAnyLengthAreRead) {
  check(100, {
                 {"bytes=0-18446744073709551615", "0-99"},
                 {"bytes=0-99999999999999999999999999999999", "0-99"},
                 {"bytes=-99999999999999999999999999999999", "0-99"},
                 {"bytes=18446744073709551616-", "unsatisfiable"},
                 {"bytes=18446744073709551615-18446744073709551615", "unsatisfiable"},
                 {"bytes=99999999999999999999-88888888888888888888", "unsatisfiable"},
             });
  EXPECT_EQ(shown(parse_range("bytes=-5,0-0", UINT64_MAX)),
            "18446744073709551610-18446744073709551614,0-0");
}

TEST(Range, AnEmptyFileHasNoRanges) {
  check(0, {{"bytes=0-", "whole"}, {"bytes=-5", "whole"}, {"bytes=5-9", "whole"}});
}

TEST(Range, SeveralKeepTheirOrder) {
  check(100, {
                 {"bytes=0-9,20-29", "0-9,20-29"},
                 {"bytes=20-29,0-9", "20-29,0-9"},
                 {"bytes=,0-9,,20-29 , -5,", "0-9,20-29,95-99"},
             });
}

TEST(Range, OverlappingAndAdjacentOnesAreMerged) {
  check(100, {
                 {"bytes=0-9,10-19", "0-19"},
                 {"bytes=10-19,0-9", "0-19"},
                 {"bytes=0-9,11-19", "0-9,11-19"},
                 {"bytes=0-50,40-60", "0-60"},
                 {"bytes=0-99,5-6,7-8", "0-99"},
                 {"bytes=5-6,7-8,0-", "0-99"},
                 {"bytes=80-89,0-9,60-69,10-19", "80-89,0-19,60-69"},
                 {"bytes=0-9,20-29,40-49,10-19", "0-29,40-49"},
                 {"bytes=40-49,20-29,0-9,10-19,90-99", "40-49,0-29,90-99"},
                 {"bytes=0-0,0-0,0-0,0-0", "0-0"},
             });
}

TEST(Range, MoreThanSixteenAreIgnored) {
  std::string value = "bytes=0-0";
  for (int i = 1; i < 16; ++i) value += "," + std::to_string(i * 2) + "-" + std::to_string(i * 2);
  EXPECT_EQ(parse_range(value, 100).ranges().size(), 16u);
  EXPECT_EQ(shown(parse_range(value + ",99-99", 100)), "whole");
  // Also where they would have been merged, or lie beyond the end.
  EXPECT_EQ(shown(parse_range(value + ",0-99", 100)), "whole");
  EXPECT_EQ(shown(parse_range(value + ",200-", 100)), "whole");
  std::string overlapping = "bytes=0-";
  for (int i = 0; i < 5'000; ++i) overlapping += ",0-";
  EXPECT_EQ(shown(parse_range(overlapping, 100)), "whole");
}

TEST(Range, OfARequest) {
  Fields fields;
  EXPECT_EQ(shown(requested_ranges(fields, 100)), "whole");
  fields.add("range", "bytes=1-2");
  EXPECT_EQ(shown(requested_ranges(fields, 100)), "1-2");
  fields.add("range", "bytes=3-4");
  EXPECT_EQ(shown(requested_ranges(fields, 100)), "whole");
}

TEST(Range, ContentRange) {
  EXPECT_EQ(content_range({0, 4}, 10), "bytes 0-4/10");
  EXPECT_EQ(unsatisfied_range(10), "bytes */10");
}

}  // namespace
}  // namespace perch::http
