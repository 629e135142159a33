#include "perchd/units.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "perch/base/ascii.h"

namespace perch::perchd {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};
// Largest first.
constexpr Unit kTimes[] = {
    {"h", 3'600'000'000'000}, {"min", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}};
constexpr Unit kSizes[] = {{"GiB", 1ULL << 30}, {"MiB", 1ULL << 20}, {"KiB", 1ULL << 10}, {"B", 1}};

constexpr Unit kLikely[] = {{"seconds", 2}, {"second", 2},      {"sec", 2},   {"m", 1},
                            {"minutes", 1}, {"minute", 1},      {"hours", 0}, {"hour", 0},
                            {"msec", 3},    {"milliseconds", 3}};

// The unit that was probably meant, or an empty view.
std::string_view likely_unit(std::string_view word, std::span<const Unit> units) {
  if (units.data() == kTimes) {
    for (const Unit& likely : kLikely) {
      if (likely.name == word) return units[likely.size].name;
    }
  }
  for (const Unit& unit : units) {
    // "MB", "mib" and "M" all stand for MiB here: units of 1,000 are not offered.
    if (to_lower(unit.name.front()) == to_lower(word.front()) && word.size() <= 3) return unit.name;
  }
  return {};
}

std::expected<std::uint64_t, std::string> parse_quantity(std::string_view text,
                                                         std::span<const Unit> units) {
  if (text.empty()) return std::unexpected("is empty");
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc::invalid_argument) return std::unexpected("does not begin with a number");
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error != std::errc{}) return std::unexpected("is too large");
  std::string_view word(after, static_cast<std::size_t>(end - after));
  if (word.starts_with('.')) return std::unexpected("is not a whole number");
  word.remove_prefix(std::min(word.find_first_not_of(' '), word.size()));
  if (word.empty()) return std::unexpected("has no unit");
  for (const Unit& unit : units) {
    if (unit.name != word) continue;
    if (number > kMax / unit.size) return std::unexpected("is too large");
    return number * unit.size;
  }
  const std::string_view meant = likely_unit(word, units);
  std::string wrong = fmt::format("has the unknown unit {:?}", word);
  if (!meant.empty()) wrong += fmt::format(" (did you mean {:?}?)", meant);
  return std::unexpected(std::move(wrong));
}

std::string format_quantity(std::uint64_t amount, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    if (amount >= unit.size && amount % unit.size == 0) {
      return fmt::format("{} {}", amount / unit.size, unit.name);
    }
  }
  return fmt::format("{} {}", amount / units.back().size, units.back().name);
}

// Insertions, deletions, replacements, and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::expected<Duration, std::string> parse_duration(std::string_view text) {
  const auto nanoseconds = parse_quantity(text, kTimes);
  if (!nanoseconds) return std::unexpected(nanoseconds.error());
  return Duration(static_cast<std::int64_t>(*nanoseconds));
}

std::expected<std::uint64_t, std::string> parse_size(std::string_view text) {
  return parse_quantity(text, kSizes);
}

std::string format_duration(Duration duration) {
  return format_quantity(static_cast<std::uint64_t>(duration.count()), kTimes);
}

std::string format_size(std::uint64_t bytes) { return format_quantity(bytes, kSizes); }

std::string_view closest(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestWord = 64;  // beyond it nobody misspelt a key of ours
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (std::string_view candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace perch::perchd
