#include "perch/http/conditional.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

constexpr auto kProceed = Precondition::kProceed;
constexpr auto kNotModified = Precondition::kNotModified;
constexpr auto kFailed = Precondition::kFailed;

constexpr std::int64_t kModified = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr const char* kBefore = "Sun, 06 Nov 1994 08:49:36 GMT";
constexpr const char* kSame = "Sun, 06 Nov 1994 08:49:37 GMT";
constexpr const char* kAfter = "Sun, 06 Nov 1994 08:49:38 GMT";

using Lines = std::vector<std::pair<const char*, const char*>>;

constexpr const char* kIfMatch = "if-match";
constexpr const char* kIfNoneMatch = "if-none-match";
constexpr const char* kIfModified = "if-modified-since";
constexpr const char* kIfUnmodified = "if-unmodified-since";

struct Row {
  Method method;
  Lines lines;
  Precondition expected;
};

void check(const std::vector<Row>& rows, const Validators& validators) {
  for (const Row& row : rows) {
    Fields fields;
    std::string shown(to_string(row.method));
    fields.add("user-agent", "test");
    for (const auto& [name, value] : row.lines) {
      fields.add(name, value);
      shown.append(" ").append(name).append(": ").append(value);
    }
    EXPECT_EQ(evaluate(row.method, fields, validators, 1796000000), row.expected) << shown;
  }
}

constexpr Method kGet = Method::kGet;
constexpr Method kPut = Method::kPut;

TEST(Conditional, PrecedenceOfRfc9110Section13) {
  check(
      {
          {kGet, {}, kProceed},
          // Step 1: If-Match.
          {kGet, {{kIfMatch, "\"a\""}}, kProceed},
          {kGet, {{kIfMatch, "\"b\""}}, kFailed},
          {kPut, {{kIfMatch, "\"b\""}}, kFailed},
          {kPut, {{kIfMatch, "*"}}, kProceed},
          // Step 2: If-Unmodified-Since, where there is no If-Match.
          {kGet, {{kIfUnmodified, kBefore}}, kFailed},
          {kPut, {{kIfUnmodified, kBefore}}, kFailed},
          {kPut, {{kIfUnmodified, kSame}}, kProceed},
          {kPut, {{kIfUnmodified, kAfter}}, kProceed},
          {kPut, {{kIfUnmodified, kBefore}, {kIfMatch, "\"a\""}}, kProceed},
          {kPut, {{kIfUnmodified, kAfter}, {kIfMatch, "\"b\""}}, kFailed},
          // Step 3: If-None-Match.
          {kGet, {{kIfNoneMatch, "\"a\""}}, kNotModified},
          {Method::kHead, {{kIfNoneMatch, "\"a\""}}, kNotModified},
          {kPut, {{kIfNoneMatch, "\"a\""}}, kFailed},
          {kGet, {{kIfNoneMatch, "\"b\""}}, kProceed},
          {kPut, {{kIfNoneMatch, "\"b\""}}, kProceed},
          {kGet, {{kIfNoneMatch, "*"}}, kNotModified},
          {kPut, {{kIfNoneMatch, "*"}}, kFailed},
          {kGet, {{kIfMatch, "\"a\""}, {kIfNoneMatch, "\"a\""}}, kNotModified},
          {kGet, {{kIfMatch, "\"b\""}, {kIfNoneMatch, "\"a\""}}, kFailed},
          {kGet, {{kIfUnmodified, kBefore}, {kIfNoneMatch, "\"a\""}}, kFailed},
          {kGet, {{kIfUnmodified, kSame}, {kIfNoneMatch, "\"a\""}}, kNotModified},
          // Step 4: If-Modified-Since, where there is no If-None-Match; GET and HEAD only.
          {kGet, {{kIfModified, kBefore}}, kProceed},
          {kGet, {{kIfModified, kSame}}, kNotModified},
          {kGet, {{kIfModified, kAfter}}, kNotModified},
          {Method::kHead, {{kIfModified, kSame}}, kNotModified},
          {kPut, {{kIfModified, kSame}}, kProceed},
          {kGet, {{kIfModified, kSame}, {kIfNoneMatch, "\"b\""}}, kProceed},
          {kGet, {{kIfModified, kBefore}, {kIfNoneMatch, "\"a\""}}, kNotModified},
          {kGet, {{kIfMatch, "\"a\""}, {kIfModified, kSame}}, kNotModified},
          {kGet, {{kIfUnmodified, kSame}, {kIfModified, kSame}}, kNotModified},
          // Methods that select no representation.
          {Method::kOptions, {{kIfMatch, "\"b\""}}, kProceed},
          {Method::kTrace, {{kIfNoneMatch, "*"}}, kProceed},
          {Method::kConnect, {{kIfUnmodified, kBefore}}, kProceed},
          {Method::kOther, {{kIfMatch, "\"b\""}}, kFailed},
      },
      {.etag = "\"a\"", .last_modified = kModified});
}

TEST(Conditional, ListsAndTheirSyntax) {
  check(
      {
          {kGet, {{kIfNoneMatch, "\"x\", \"a\""}}, kNotModified},
          {kGet, {{kIfNoneMatch, "\"x\",\"y\"\t,\t\"a\" ,\"z\""}}, kNotModified},
          {kGet, {{kIfNoneMatch, ", ,\"a\","}}, kNotModified},
          {kGet, {{kIfNoneMatch, "\"x\""}, {kIfNoneMatch, "\"a\""}}, kNotModified},
          {kGet, {{kIfNoneMatch, "\"x,\"a\"\""}}, kProceed},  // broken quoting
          {kGet, {{kIfNoneMatch, "\"x\" \"a\""}}, kProceed},  // no comma
          {kGet, {{kIfNoneMatch, "a"}}, kProceed},            // no quotes
          {kGet, {{kIfNoneMatch, "\"a"}}, kProceed},          // no end
          {kGet, {{kIfNoneMatch, "w/\"a\""}}, kProceed},      // case matters
          {kGet, {{kIfNoneMatch, "\"A\""}}, kProceed},
          {kGet, {{kIfNoneMatch, "\"a \""}}, kProceed},  // no blank within
          {kGet, {{kIfNoneMatch, ""}}, kProceed},
          {kGet, {{kIfNoneMatch, ","}}, kProceed},
          {kGet, {{kIfNoneMatch, "*, \"b\""}}, kProceed},  // "*" stands alone
          {kGet, {{kIfNoneMatch, "*"}, {kIfNoneMatch, "\"b\""}}, kProceed},
          {kGet, {{kIfMatch, "\"x\", \"a\""}}, kProceed},
          {kGet, {{kIfMatch, "\"x\""}, {kIfMatch, "\"a\""}}, kProceed},
          {kGet, {{kIfMatch, "\"x\", \"y\""}}, kFailed},
          {kGet, {{kIfMatch, ""}}, kFailed},
      },
      {.etag = "\"a\"", .last_modified = kModified});
}

TEST(Conditional, ATagMayHoldACommaOrNothing) {
  check({{kGet, {{kIfNoneMatch, "\"x\", \"a,b\""}}, kNotModified},
         {kGet, {{kIfNoneMatch, "\"a\", \"b\""}}, kProceed}},
        {.etag = "\"a,b\""});
  check({{kGet, {{kIfNoneMatch, "\"\""}}, kNotModified}}, {.etag = "\"\""});
}

TEST(Conditional, IfMatchComparesStronglyAndIfNoneMatchWeakly) {
  check(
      {
          {kGet, {{kIfNoneMatch, "W/\"a\""}}, kNotModified},
          {kGet, {{kIfMatch, "W/\"a\""}}, kFailed},
          {kGet, {{kIfMatch, "W/\"a\", \"a\""}}, kProceed},
      },
      {.etag = "\"a\""});
  check(
      {
          {kGet, {{kIfNoneMatch, "W/\"a\""}}, kNotModified},
          {kGet, {{kIfNoneMatch, "\"a\""}}, kNotModified},
          {kGet, {{kIfMatch, "W/\"a\""}}, kFailed},
          {kGet, {{kIfMatch, "\"a\""}}, kFailed},
          {kGet, {{kIfMatch, "*"}}, kProceed},
      },
      {.etag = "W/\"a\""});
}

TEST(Conditional, DatesThatAreNoDatesAreIgnored) {
  check(
      {
          {kGet, {{kIfModified, "yesterday"}}, kProceed},
          {kGet, {{kIfModified, ""}}, kProceed},
          {kGet, {{kIfModified, kSame}, {kIfModified, kSame}}, kProceed},  // more than one member
          {kPut, {{kIfUnmodified, "0"}}, kProceed},
          {kPut, {{kIfUnmodified, kBefore}, {kIfUnmodified, kBefore}}, kProceed},
          {kGet, {{kIfModified, "Sunday, 06-Nov-94 08:49:37 GMT"}}, kNotModified},
          {kGet, {{kIfModified, "Sun Nov  6 08:49:37 1994"}}, kNotModified},
      },
      {.etag = "\"a\"", .last_modified = kModified});
}

TEST(Conditional, WithoutValidatorsOnlyTheStarMatches) {
  check(
      {
          {kGet, {{kIfNoneMatch, "\"\""}}, kProceed},
          {kGet, {{kIfNoneMatch, "*"}}, kNotModified},
          {kGet, {{kIfMatch, "\"a\""}}, kFailed},
          {kGet, {{kIfMatch, "*"}}, kProceed},
          {kGet, {{kIfModified, kAfter}}, kProceed},
          {kGet, {{kIfUnmodified, kBefore}}, kProceed},
      },
      {});
}

constexpr std::int64_t kNow = kModified + 100;

TEST(Conditional, IfRange) {
  const auto applies = [](std::vector<const char*> values, const Validators& validators,
                          std::int64_t now = kNow) {
    Fields fields;
    for (const char* value : values) fields.add("if-range", value);
    return range_applies(fields, validators, now);
  };
  const Validators both{"\"a\"", kModified};
  EXPECT_TRUE(applies({}, both));
  EXPECT_TRUE(applies({"\"a\""}, both));
  EXPECT_FALSE(applies({"\"b\""}, both));
  EXPECT_FALSE(applies({"W/\"a\""}, both));
  EXPECT_FALSE(applies({"W/\"a\""}, {"W/\"a\"", kModified}));
  EXPECT_FALSE(applies({"\"a\", \"b\""}, both));
  EXPECT_FALSE(applies({"*"}, both));
  EXPECT_FALSE(applies({"\"a\"", "\"a\""}, both));
  EXPECT_FALSE(applies({""}, both));
  EXPECT_FALSE(applies({"\"\""}, {"", kModified}));
  // A date must be the same one, not a later one.
  EXPECT_TRUE(applies({kSame}, both));
  EXPECT_FALSE(applies({kBefore}, both));
  EXPECT_FALSE(applies({kAfter}, both));
  EXPECT_FALSE(applies({kSame}, {"\"a\"", -1}));
  EXPECT_FALSE(applies({"yesterday"}, both));
  // Within its second the file may change once more.
  EXPECT_FALSE(applies({kSame}, both, kModified));
  EXPECT_TRUE(applies({kSame}, both, kModified + 1));
}

TEST(Conditional, OneLookTellsWhatThereIs) {
  const auto shown = [](std::vector<const char*> names) {
    Fields fields;
    for (const char* name : names) fields.add(name, "x");
    const ConditionalFields found = conditional_fields(fields);
    return std::string(found.preconditions ? "preconditions " : "") + (found.range ? "range" : "");
  };
  EXPECT_EQ(shown({}), "");
  EXPECT_EQ(shown({"accept", "i", "ranges", "accept-ranges", "if"}), "");
  EXPECT_EQ(shown({"accept", "range"}), "range");
  for (const char* name :
       {"if-match", "if-none-match", "if-modified-since", "if-unmodified-since"}) {
    EXPECT_EQ(shown({name, "accept"}), "preconditions ");
  }
  EXPECT_EQ(shown({"if-range", "range"}), "preconditions range");
}

}  // namespace
}  // namespace perch::http
