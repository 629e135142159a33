// Durations and sizes as users write them ("30 s", "64 KiB"), and guesses at what they meant.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>

#include "perch/base/clock.h"

namespace perch::perchd {

// A whole number and a unit, with or without a space. The error says what is wrong.
std::expected<Duration, std::string> parse_duration(std::string_view text);   // ms, s, min, h
std::expected<std::uint64_t, std::string> parse_size(std::string_view text);  // B, KiB, MiB, GiB

// With the largest unit that gives a whole number.
std::string format_duration(Duration duration);
std::string format_size(std::uint64_t bytes);

// The one of `known` that `word` is most likely a misspelling of, or an empty view.
std::string_view closest(std::string_view word, std::span<const std::string_view> known);

}  // namespace perch::perchd
