#include "perch/http/content_coding.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

using enum ContentCoding;

AcceptedCodings accepted(std::vector<std::string_view> lines) {
  Fields fields;
  fields.add("accept", "br");
  for (const std::string_view line : lines) fields.add("accept-encoding", line);
  return AcceptedCodings(fields);
}

std::string_view chosen(std::vector<std::string_view> lines,
                        std::vector<ContentCoding> available = {kBrotli, kZstd, kGzip}) {
  return to_string(accepted(std::move(lines)).choose(available));
}

TEST(ContentCoding, Names) {
  EXPECT_EQ(parse_content_coding("gzip"), kGzip);
  EXPECT_EQ(parse_content_coding("X-GZIP"), kGzip);
  EXPECT_EQ(parse_content_coding("br"), kBrotli);
  EXPECT_EQ(parse_content_coding("Zstd"), kZstd);
  EXPECT_EQ(parse_content_coding("identity"), kIdentity);
  EXPECT_EQ(parse_content_coding("deflate"), std::nullopt);
  EXPECT_EQ(parse_content_coding(""), std::nullopt);
}

TEST(ContentCoding, TheServersOrderDecidesAmongEqualWeights) {
  EXPECT_EQ(chosen({"gzip, deflate, br, zstd"}), "br");
  EXPECT_EQ(chosen({"gzip, deflate, br, zstd"}, {kZstd, kBrotli, kGzip}), "zstd");
  EXPECT_EQ(chosen({"gzip, deflate"}), "gzip");
  EXPECT_EQ(chosen({"gzip, br"}, {kZstd}), "identity");
  EXPECT_EQ(chosen({"gzip"}, {}), "identity");
  EXPECT_EQ(chosen({"gzip", "br"}), "br");
}

TEST(ContentCoding, TheClientsWeightsComeFirst) {
  EXPECT_EQ(chosen({"br;q=0.5, gzip;q=0.8"}), "gzip");
  EXPECT_EQ(chosen({"br;q=0.001, gzip;q=0"}), "br");
  EXPECT_EQ(chosen({"br;q=0, zstd;q=0.0, gzip;q=0.000"}), "identity");
  EXPECT_EQ(chosen({"br;q=0.5, identity;q=1"}), "identity");
  EXPECT_EQ(chosen({"br;q=0.5, identity;q=0.5"}), "br");
  EXPECT_EQ(chosen({"GZIP ; Q=0.7 ,\tbr;q=0.699"}), "gzip");
}

TEST(ContentCoding, TheStarStandsForWhatIsNotListed) {
  EXPECT_EQ(chosen({"*"}), "br");
  EXPECT_EQ(chosen({"br;q=0, *"}), "zstd");
  EXPECT_EQ(chosen({"gzip, *;q=0.1"}), "gzip");
  EXPECT_EQ(chosen({"gzip;q=0.1, *;q=0"}), "gzip");
  EXPECT_EQ(chosen({"*;q=0"}), "identity");
}

TEST(ContentCoding, IdentityWhereNothingElseIsAcceptable) {
  EXPECT_EQ(chosen({}), "identity");
  EXPECT_EQ(chosen({""}), "identity");
  EXPECT_EQ(chosen({"deflate"}), "identity");
  EXPECT_EQ(chosen({"identity;q=0"}), "identity");
  EXPECT_EQ(chosen({"identity;q=0, gzip;q=0.001"}), "gzip");
}

TEST(ContentCoding, WhatIsMalformedIsLeftOut) {
  for (const char* line : {"br;q=2", "br;q=1.001", "br;q=0.1234", "br;q=", "br;q=a", "br;q=-1",
                           "br;q", "br;x=1", "br q=1", "br;q=1;q=1", "b r", ";q=1", "br;;q=1"}) {
    EXPECT_EQ(chosen({line}), "identity") << line;
    EXPECT_EQ(chosen({std::string(line) + ", gzip"}), "gzip") << line;
  }
  EXPECT_EQ(chosen({",, ,br,"}), "br");
  EXPECT_EQ(chosen({"br;"}), "identity");
  EXPECT_EQ(chosen({"br;q=0, br"}), "identity");
  EXPECT_EQ(chosen({std::string(60'000, ',') + "gzip"}), "gzip");
}

TEST(ContentCoding, Weights) {
  const AcceptedCodings codings = accepted({"br;q=0.25, *;q=0.5"});
  EXPECT_EQ(codings.weight(kBrotli), 250);
  EXPECT_EQ(codings.weight(kGzip), 500);
  EXPECT_GT(codings.weight(kIdentity), 0);
  EXPECT_EQ(accepted({"*;q=0"}).weight(kIdentity), 0);
  EXPECT_EQ(accepted({"*;q=0, identity"}).weight(kIdentity), 1000);
}

}  // namespace
}  // namespace perch::http
