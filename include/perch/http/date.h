// HTTP dates (RFC 9110 section 5.6.7). Seconds since 1970-01-01 UTC; no locale, no time zone.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace perch::http {

// "Sun, 06 Nov 1994 08:49:37 GMT"; always 29 characters. REQUIRES: years 0000 to 9999.
std::array<char, 29> format_date(std::int64_t unix_seconds);

// Accepts IMF-fixdate, RFC 850 and asctime forms; `now` resolves two-digit years (RFC 9110).
std::optional<std::int64_t> parse_date(std::string_view text, std::int64_t now_unix_seconds);

}  // namespace perch::http
