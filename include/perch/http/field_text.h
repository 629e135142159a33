// Text of fields: what both versions' engines and the server ask of it.
#pragma once

#include <algorithm>
#include <string_view>

namespace perch::http {

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// As RFC 9110 compares tokens and names: ASCII letters only.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return to_lower(x) == to_lower(y); });
}

// Fields that mean something to one hop only (RFC 9113 section 8.2.2, RFC 9110 section 7.6.1);
// `name` in lower case. TE is one too, but for "trailers".
constexpr bool is_connection_field(std::string_view name) {
  switch (name.size()) {
    case 7:
      return name == "upgrade";
    case 10:
      return name == "connection" || name == "keep-alive";
    case 16:
      return name == "proxy-connection";
    case 17:
      return name == "transfer-encoding";
    default:
      return false;
  }
}

}  // namespace perch::http
