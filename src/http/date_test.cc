#include "perch/http/date.h"

#include <time.h>

#include <string>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

constexpr std::int64_t kExample = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT
constexpr std::int64_t kEnd = 4102444800;     // 2100-01-01
constexpr std::int64_t kNow = 1796000000;     // in 2026
constexpr std::int64_t kDay = 86400;

std::string shown(std::int64_t seconds) {
  const auto text = format_date(seconds);
  return {text.begin(), text.end()};
}

// The C library's opinion.
std::string expected(const char* format, std::int64_t seconds) {
  const time_t at = seconds;
  tm parts{};
  gmtime_r(&at, &parts);
  char text[64];
  return {text, strftime(text, sizeof text, format, &parts)};
}

TEST(Date, TheExampleOfTheRfcInItsThreeForms) {
  EXPECT_EQ(shown(kExample), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_date("Sunday, 06-Nov-94 08:49:37 GMT", kNow), kExample);
  EXPECT_EQ(parse_date("Sun Nov  6 08:49:37 1994", kNow), kExample);
}

TEST(Date, AgreesWithTheCLibraryFrom1970To2100) {
  for (std::int64_t at = 0; at < kEnd; at += 7 * kDay + 7919) {
    ASSERT_EQ(shown(at), expected("%a, %d %b %Y %H:%M:%S GMT", at));
    ASSERT_EQ(parse_date(shown(at), kNow), at);
    ASSERT_EQ(parse_date(expected("%a %b %e %H:%M:%S %Y", at), kNow), at);
    ASSERT_EQ(parse_date(expected("%A, %d-%b-%y %H:%M:%S GMT", at), at), at);
  }
}

TEST(Date, EveryDayFrom1970To2100ComesBack) {
  for (std::int64_t at = kDay - 1; at < kEnd; at += kDay) ASSERT_EQ(parse_date(shown(at), 0), at);
}

TEST(Date, YearsFrom0To9999) {
  EXPECT_EQ(shown(-62167219200), "Sat, 01 Jan 0000 00:00:00 GMT");
  EXPECT_EQ(parse_date("Sat, 01 Jan 0000 00:00:00 GMT", kNow), -62167219200);
  EXPECT_EQ(shown(-1), "Wed, 31 Dec 1969 23:59:59 GMT");
  EXPECT_EQ(shown(253402300799), "Fri, 31 Dec 9999 23:59:59 GMT");
  EXPECT_EQ(parse_date("Fri, 31 Dec 9999 23:59:59 GMT", kNow), 253402300799);
}

TEST(Date, LeapDaysExistInLeapYearsOnly) {
  EXPECT_EQ(parse_date("Tue, 29 Feb 2000 00:00:00 GMT", kNow), 951782400);
  EXPECT_EQ(parse_date("Thu, 29 Feb 2024 00:00:00 GMT", kNow), 1709164800);
  EXPECT_EQ(parse_date("Mon, 29 Feb 2100 00:00:00 GMT", kNow), std::nullopt);
  EXPECT_EQ(parse_date("Wed, 29 Feb 2023 00:00:00 GMT", kNow), std::nullopt);
}

TEST(Date, ALeapSecondIsTheSecondAfter) {
  EXPECT_EQ(parse_date("Sat, 31 Dec 2016 23:59:60 GMT", kNow), 1483228800);
}

TEST(Date, TwoDigitsAreTheLatestYearWithin50YearsAhead) {
  const std::int64_t y2026 = 1796000000;
  EXPECT_EQ(parse_date("Thursday, 01-Jan-26 00:00:00 GMT", y2026), 1767225600);
  EXPECT_EQ(shown(*parse_date("Wednesday, 01-Jan-76 00:00:00 GMT", y2026)),
            "Wed, 01 Jan 2076 00:00:00 GMT");
  EXPECT_EQ(shown(*parse_date("Saturday, 01-Jan-77 00:00:00 GMT", y2026)),
            "Sat, 01 Jan 1977 00:00:00 GMT");
  EXPECT_EQ(shown(*parse_date("Friday, 01-Jan-99 00:00:00 GMT", y2026)),
            "Fri, 01 Jan 1999 00:00:00 GMT");
}

TEST(Date, AsctimePadsTheDayWithABlankOrHasTwoDigits) {
  EXPECT_EQ(parse_date("Sun Nov 06 08:49:37 1994", kNow), kExample);
  EXPECT_EQ(parse_date("Wed Nov 16 08:49:37 1994", kNow), kExample + 10 * kDay);
}

TEST(Date, GarbageIsRefused) {
  for (const char* text : {"",
                           "x",
                           "0",
                           "GMT",
                           "Sun, 06 Nov 1994 08:49:37",
                           "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 06 Nov 1994 08:49:37 GMT ",
                           " Sun, 06 Nov 1994 08:49:37 GMT",
                           "sun, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 nov 1994 08:49:37 GMT",
                           "Xyz, 06 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Xyz 1994 08:49:37 GMT",
                           "Sun, 6 Nov 1994 08:49:37 GMT",
                           "Sun, 06 Nov 94 08:49:37 GMT",
                           "Sun, 00 Nov 1994 08:49:37 GMT",
                           "Sun, 31 Nov 1994 08:49:37 GMT",
                           "Sun, 32 Dec 1994 08:49:37 GMT",
                           "Sun, 06 Nov 1994 24:49:37 GMT",
                           "Sun, 06 Nov 1994 08:60:37 GMT",
                           "Sun, 06 Nov 1994 08:49:61 GMT",
                           "Sun, 06 Nov 1994 -8:49:37 GMT",
                           "Sun, 06 Nov 1994 08-49-37 GMT",
                           "Sun, 06 Nov 1994  8:49:37 GMT",
                           "Sun,06 Nov 1994 08:49:37 GMT",
                           "Sun,  6 Nov 1994 08:49:37 GMT",
                           "Sun, 06-Nov-1994 08:49:37 GMT",
                           "Sunday, 06-Nov-1994 08:49:37 GMT",
                           "Sunday, 06 Nov 94 08:49:37 GMT",
                           "Sunday, 06-Nov-94 08:49:37",
                           "Sunday 06-Nov-94 08:49:37 GMT",
                           "Sun, 06-Nov-94 08:49:37 GMT",
                           "Someday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov 6 08:49:37 1994",
                           "Sun Nov  6 08:49:37 94",
                           "Sun Nov  6 08:49:37 1994 GMT",
                           "Sun Nov   08:49:37 1994x",
                           "Sun Nov  0 08:49:37 1994",
                           "1994-11-06T08:49:37Z 0123456789",
                           "784111777784111777784111777"}) {
    EXPECT_EQ(parse_date(text, kNow), std::nullopt) << text;
  }
}

TEST(Date, EveryCutAndEveryChangedCharacterIsHarmless) {
  for (std::string text : {"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994"}) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      EXPECT_EQ(parse_date(text.substr(0, at), kNow), std::nullopt) << text.substr(0, at);
      std::string changed = text;
      for (char c : {'\0', '\xff', '/', ':', '*'}) {
        if (text[at] == c) continue;
        changed[at] = c;
        EXPECT_EQ(parse_date(changed, kNow), std::nullopt) << changed;
      }
    }
  }
}

}  // namespace
}  // namespace perch::http
