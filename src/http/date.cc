#include "perch/http/date.h"

#include <algorithm>
#include <chrono>

namespace perch::http {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr std::string_view kDays = "SunMonTueWedThuFriSat";
constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
constexpr std::array<std::string_view, 7> kLongDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};
constexpr std::int64_t kSecondsPerDay = 86400;

void put_two_digits(char* at, unsigned value) {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
}

// Reads a date from left to right; after the first mismatch everything fails.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool done() const { return ok_ && text_.empty(); }

  void literal(std::string_view expected) {
    ok_ = ok_ && text_.starts_with(expected);
    if (ok_) text_.remove_prefix(expected.size());
  }
  int digits(std::size_t count) {
    if (!ok_ || text_.size() < count) return fail();
    int value = 0;
    for (char c : text_.substr(0, count)) {
      if (c < '0' || c > '9') return fail();
      value = value * 10 + (c - '0');
    }
    text_.remove_prefix(count);
    return value;
  }
  // asctime's day of the month: two digits, or a blank and one.
  int padded_day() {
    if (!text_.starts_with(' ')) return digits(2);
    text_.remove_prefix(1);
    return digits(1);
  }
  // The place of the next three letters in `names`, which has three letters for each.
  int short_name(std::string_view names) {
    if (!ok_ || text_.size() < 3) return fail();
    for (std::size_t at = 0; at < names.size(); at += 3) {
      if (text_.substr(0, 3) == names.substr(at, 3)) {
        text_.remove_prefix(3);
        return static_cast<int>(at / 3);
      }
    }
    return fail();
  }
  void long_day() {
    for (std::string_view day : kLongDays) {
      if (text_.starts_with(day)) return text_.remove_prefix(day.size());
    }
    fail();
  }
  // Seconds since midnight of "08:49:37".
  int time_of_day() {
    const int hour = digits(2);
    literal(":");
    const int minute = digits(2);
    literal(":");
    const int second = digits(2);
    if (hour > 23 || minute > 59 || second > 60) return fail();  // 60 is a leap second
    return (hour * 60 + minute) * 60 + second;
  }

 private:
  int fail() {
    ok_ = false;
    return 0;
  }

  std::string_view text_;
  bool ok_ = true;
};

std::optional<std::int64_t> to_seconds(int year, int month, int day, int time_of_day) {
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month) + 1),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  return sys_days(date).time_since_epoch().count() * kSecondsPerDay + time_of_day;
}

std::optional<std::int64_t> parse_imf(std::string_view text) {
  Reader in(text);
  in.short_name(kDays);
  in.literal(", ");
  const int day = in.digits(2);
  in.literal(" ");
  const int month = in.short_name(kMonths);
  in.literal(" ");
  const int year = in.digits(4);
  in.literal(" ");
  const int time = in.time_of_day();
  in.literal(" GMT");
  return in.done() ? to_seconds(year, month, day, time) : std::nullopt;
}

std::optional<std::int64_t> parse_asctime(std::string_view text) {
  Reader in(text);
  in.short_name(kDays);
  in.literal(" ");
  const int month = in.short_name(kMonths);
  in.literal(" ");
  const int day = in.padded_day();
  in.literal(" ");
  const int time = in.time_of_day();
  in.literal(" ");
  const int year = in.digits(4);
  return in.done() ? to_seconds(year, month, day, time) : std::nullopt;
}

int year_of(std::int64_t unix_seconds) {
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(unix_seconds)));
  return static_cast<int>(year_month_day(day).year());
}

std::optional<std::int64_t> parse_rfc850(std::string_view text, std::int64_t now) {
  Reader in(text);
  in.long_day();
  in.literal(", ");
  const int day = in.digits(2);
  in.literal("-");
  const int month = in.short_name(kMonths);
  in.literal("-");
  const int two_digits = in.digits(2);
  in.literal(" ");
  const int time = in.time_of_day();
  in.literal(" GMT");
  if (!in.done()) return std::nullopt;
  // The latest year with these digits that is not more than 50 years ahead.
  const int limit = year_of(now) + 50;
  return to_seconds(limit - ((limit - two_digits) % 100 + 100) % 100, month, day, time);
}

}  // namespace

std::array<char, 29> format_date(std::int64_t unix_seconds) {
  const auto day = std::chrono::floor<std::chrono::days>(
      std::chrono::sys_seconds(std::chrono::seconds(unix_seconds)));
  const year_month_day date(day);
  const unsigned weekday = std::chrono::weekday(day).c_encoding();
  const auto month = static_cast<unsigned>(date.month());
  const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
  const auto second =
      static_cast<unsigned>(unix_seconds - day.time_since_epoch().count() * kSecondsPerDay);

  constexpr std::string_view kShape = "Sun, 00 Jan 0000 00:00:00 GMT";
  std::array<char, 29> text;
  std::ranges::copy(kShape, text.begin());
  std::ranges::copy(kDays.substr(3 * weekday, 3), text.begin());
  put_two_digits(&text[5], static_cast<unsigned>(date.day()));
  std::ranges::copy(kMonths.substr(3 * (month - 1), 3), text.begin() + 8);
  put_two_digits(&text[12], year / 100 % 100);
  put_two_digits(&text[14], year % 100);
  put_two_digits(&text[17], second / 3600);
  put_two_digits(&text[20], second / 60 % 60);
  put_two_digits(&text[23], second % 60);
  return text;
}

std::optional<std::int64_t> parse_date(std::string_view text, std::int64_t now_unix_seconds) {
  if (text.size() < 24) return std::nullopt;  // asctime is the shortest
  if (text[3] == ',') return parse_imf(text);
  if (text[3] == ' ') return parse_asctime(text);
  return parse_rfc850(text, now_unix_seconds);
}

}  // namespace perch::http
