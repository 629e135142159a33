#include "perchd/toml_text.h"

#include <algorithm>

namespace perch::perchd {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Where the string that begins at `start` ends: behind its closing quotes, or before the newline
// that a one-line string may not hold.
std::size_t string_end(std::string_view text, std::size_t start) {
  const char quote = text[start];
  const bool escapes = quote == '"';
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool multiline = text.substr(start).starts_with(triple);
  for (std::size_t at = start + (multiline ? 3 : 1); at < text.size(); ++at) {
    if (escapes && text[at] == '\\' && at + 1 < text.size() && text[at + 1] != '\n') {
      ++at;
    } else if (multiline && text.substr(at).starts_with(triple)) {
      // Up to two quotes may stand before the closing three.
      at += 3;
      for (int i = 0; i < 2 && at < text.size() && text[at] == quote; ++i) ++at;
      return at;
    } else if (!multiline && text[at] == quote) {
      return at + 1;
    } else if (!multiline && text[at] == '\n') {
      return at;
    }
  }
  return text.size();
}

StrayCharacter stray_at(std::string_view text, std::size_t at, std::string_view what) {
  const std::string_view before = text.substr(0, at);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  const auto is_first_byte = [](unsigned char c) { return (c & 0xc0) != 0x80; };
  return {.line = 1 + static_cast<std::size_t>(std::ranges::count(before, '\n')),
          .column = 1 + static_cast<std::size_t>(std::ranges::count_if(line, is_first_byte)),
          .what = what};
}

}  // namespace

std::optional<StrayCharacter> first_stray_character(std::string_view text) {
  if (const std::size_t zero = text.find('\0'); zero != text.npos) {
    return stray_at(text, zero, "a zero byte");
  }
  std::size_t at = 0;
  if (text.starts_with(kByteOrderMark)) at = kByteOrderMark.size();
  while (at < text.size()) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      return stray_at(text, at, "a character outside of ASCII that is not in a string");
    }
    if (c == '"' || c == '\'') {
      at = string_end(text, at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

std::string ascii_stand_in(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::string stand_in;
  stand_in.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      stand_in += c;
    } else if ((byte & 0xc0) != 0x80) {
      stand_in += 'z';  // for the first byte of each; not `x`, which may follow a backslash
    }
  }
  return stand_in;
}

}  // namespace perch::perchd
