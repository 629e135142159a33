#include "perchd/access_log.h"

#include <cstdint>
#include <ctime>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

namespace perch::perchd {
namespace {

constexpr int kClientGaveUp = 499;

int status_of(const server::AccessRecord& record) {
  return record.status != 0 ? record.status : kClientGaveUp;
}

std::string_view end_of(http::StreamEnd end) {
  switch (end) {
    case http::StreamEnd::kComplete:
      return "complete";
    case http::StreamEnd::kReset:
      return "reset";
    case http::StreamEnd::kFailed:
      return "failed";
  }
  return "failed";
}

std::tm utc(std::time_t seconds) {
  std::tm broken_down{};
  ::gmtime_r(&seconds, &broken_down);
  return broken_down;
}

// "12/Mar/2026:13:14:15 +0000", which is the same for all lines of a second.
std::string_view common_time(std::chrono::system_clock::time_point when) {
  static constexpr std::string_view kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  thread_local std::time_t cached = -1;
  thread_local std::string text;
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  if (seconds != cached) {
    const std::tm at = utc(seconds);
    text = fmt::format("{:02}/{}/{:04}:{:02}:{:02}:{:02} +0000", at.tm_mday,
                       kMonths[static_cast<std::size_t>(at.tm_mon)], at.tm_year + 1900, at.tm_hour,
                       at.tm_min, at.tm_sec);
    cached = seconds;
  }
  return text;
}

// --- common, combined

// A client chooses these texts, and a queue of lines is bounded by their number: beyond this a text
// is cut off, and says so.
constexpr std::size_t kMostText = 4 * 1024;

struct Shortened {
  explicit Shortened(std::string_view whole)
      : text(whole.substr(0, kMostText)), cut(whole.size() > kMostText) {}
  std::string_view text;
  bool cut;
};

void append_escaped(std::string& line, std::string_view whole) {
  constexpr char kHex[] = "0123456789ABCDEF";
  const auto [text, cut] = Shortened(whole);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '"' && c != '\\') {
      line += c;
    } else {
      line += "\\x";
      line += kHex[byte >> 4];
      line += kHex[byte & 0xf];
    }
  }
  if (cut) line += "...";
}

void append_quoted(std::string& line, std::string_view text) {
  line += " \"";
  if (text.empty()) line += '-';
  append_escaped(line, text);
  line += '"';
}

void append_common(std::string& line, const server::AccessRecord& record,
                   std::chrono::system_clock::time_point when) {
  line += record.remote.empty() ? "-" : record.remote;
  line += " - - [";
  line += common_time(when);
  line += "] \"";
  append_escaped(line, record.method);
  line += ' ';
  append_escaped(line, record.target);
  line += ' ';
  line += record.version;
  fmt::format_to(std::back_inserter(line), "\" {} {}", status_of(record), record.body_bytes);
}

// --- JSON

// Bytes of the UTF-8 character at the front (RFC 3629: shortest form, no surrogates), or 0.
std::size_t utf8_length(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xe0 && at(1) < 0xa0) return 0;
  if (first == 0xed && at(1) >= 0xa0) return 0;
  if (first == 0xf0 && at(1) < 0x90) return 0;
  if (first == 0xf4 && at(1) >= 0x90) return 0;
  return length;
}

void append_json_text(std::string& line, std::string_view whole) {
  auto [text, cut] = Shortened(whole);
  line += '"';
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (length == 0 || static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      line += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  if (cut) line += "...";
  line += '"';
}

void append_json(std::string& line, const server::AccessRecord& record,
                 std::chrono::system_clock::time_point when) {
  const auto out = std::back_inserter(line);
  const auto text = [&](std::string_view name, std::string_view value) {
    fmt::format_to(out, ",\"{}\":", name);
    append_json_text(line, value);
  };
  const auto number = [&](std::string_view name, auto value) {
    fmt::format_to(out, ",\"{}\":{}", name, value);
  };
  const std::tm at = utc(std::chrono::system_clock::to_time_t(when));
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
      when - std::chrono::floor<std::chrono::seconds>(when));
  fmt::format_to(out, "{{\"time\":\"{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z\"",
                 at.tm_year + 1900, at.tm_mon + 1, at.tm_mday, at.tm_hour, at.tm_min, at.tm_sec,
                 milliseconds.count());
  text("remote", record.remote);
  text("method", record.method);
  text("target", record.target);
  text("authority", record.authority);
  text("version", record.version);
  number("status", status_of(record));
  number("bytes", record.body_bytes);
  number("duration_us",
         std::chrono::duration_cast<std::chrono::microseconds>(record.duration).count());
  text("referer", record.referer);
  text("user_agent", record.user_agent);
  text("tls_version", record.tls_version);
  text("tls_cipher", record.tls_cipher);
  text("end", end_of(record.end));
  line += '}';
}

}  // namespace

void append_access_line(std::string& line, AccessFormat format, const server::AccessRecord& record,
                        std::chrono::system_clock::time_point when) {
  if (format == AccessFormat::kJson) return append_json(line, record, when);
  append_common(line, record, when);
  if (format == AccessFormat::kCommon) return;
  append_quoted(line, record.referer);
  append_quoted(line, record.user_agent);
}

}  // namespace perch::perchd
