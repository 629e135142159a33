#include "perch/http/path.h"

#include <algorithm>

namespace perch::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Appends the decoded `text`; false where an escape is malformed.
bool append_decoded(std::string_view text, std::string& out) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (text.size() - i < 3) return false;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return true;
}

// Characters that a path may hold as they are: pchar of RFC 3986 section 3.3, and "/".
bool stands_for_itself(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return c != '\0' && std::string_view("/-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text) {
  std::string decoded;
  decoded.reserve(text.size());
  if (!append_decoded(text, decoded)) return std::nullopt;
  return decoded;
}

std::optional<std::string> decode_path(std::string_view path) {
  if (!path.starts_with('/') || path.find_first_of("?#") != std::string_view::npos) {
    return std::nullopt;
  }
  // `out` always ends with "/" between segments, so that "a/.." leaves what stood before "a".
  std::string out = "/";
  out.reserve(path.size());
  while (!path.empty()) {
    path.remove_prefix(1);  // the "/" before the segment
    const std::string_view segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    const std::size_t start = out.size();
    if (!append_decoded(segment, out)) return std::nullopt;
    const std::string_view decoded = std::string_view(out).substr(start);
    if (decoded.find_first_of(std::string_view("/\0", 2)) != std::string_view::npos) {
      return std::nullopt;
    }
    if (decoded == "..") {
      if (start == 1) return std::nullopt;
      out.resize(out.rfind('/', start - 2) + 1);
    } else if (decoded == ".") {
      out.resize(start);
    } else if (!decoded.empty() && !path.empty()) {
      out.push_back('/');
    }
  }
  return out;
}

std::string encode_path(std::string_view path) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  out.reserve(path.size());
  for (char c : path) {
    if (stands_for_itself(c)) {
      out.push_back(c);
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out.append({'%', kHex[byte >> 4], kHex[byte & 15]});
    }
  }
  return out;
}

std::optional<std::string> file_path_mistake(std::string_view path) {
  const bool named = path.starts_with('/') && !path.ends_with('/');
  if (named && decode_path(encode_path(path)) == path) return std::nullopt;
  return "\"" + std::string(path) + "\" is no path of a file from the root";
}

}  // namespace perch::http
