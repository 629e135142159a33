// Text of fields: what both versions' engines and the server ask of it.
#pragma once

#include <cstddef>
#include <string_view>

namespace perch::http {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }

constexpr std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Calls `visit` with each element of a comma-separated list, empty ones too, without blanks around.
template <class Visit>
void for_each_element(std::string_view list, Visit&& visit) {
  while (true) {
    const std::size_t comma = list.find(',');
    visit(trim(list.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
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
