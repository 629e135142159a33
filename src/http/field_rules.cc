#include "perch/http/field_rules.h"

#include <algorithm>
#include <array>

#include "perch/http/path_pattern.h"

namespace perch::http {
namespace {

// Sorted.
constexpr auto kOwnFields = std::to_array<std::string_view>({
    "accept-ranges",
    "connection",
    "content-encoding",
    "content-length",
    "content-range",
    "date",
    "etag",
    "keep-alive",
    "last-modified",
    "location",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
});
static_assert(std::ranges::is_sorted(kOwnFields));

}  // namespace

std::optional<std::string> field_mistake(std::string_view name, std::string_view value) {
  if (!valid_field(name, "")) return "\"" + std::string(name) + "\" is no lower-case field name";
  if (std::ranges::binary_search(kOwnFields, name)) {
    return std::string(name) + " is the server's own";
  }
  if (!valid_field(name, value)) {
    return "the value of " + std::string(name) + " has a line end or a blank at an end";
  }
  return std::nullopt;
}

std::optional<std::string> rule_mistake(const FieldRule& rule) {
  if (!is_path_pattern(rule.path)) {
    return "the path \"" + rule.path + "\" begins neither with \"/\" nor with \"*\"";
  }
  for (const auto* fields : {&rule.set, &rule.add}) {
    for (const auto& [name, value] : *fields) {
      if (auto mistake = field_mistake(name, value)) return mistake;
      // It would take out what the server says of its own choice.
      if (fields == &rule.set && name == "vary") return "vary can be added, not set";
    }
  }
  return std::nullopt;
}

std::optional<std::string> hsts_mistake(std::string_view value) {
  constexpr std::string_view kMaxAge = "max-age=";
  constexpr std::size_t kMostDigits = 10;  // three centuries
  std::string_view rest = value;
  bool good = rest.starts_with(kMaxAge);
  if (good) {
    rest.remove_prefix(kMaxAge.size());
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    good = digits > 0 && digits <= kMostDigits;
    rest.remove_prefix(digits);
    for (const std::string_view directive : {"; includeSubDomains", "; preload"}) {
      if (rest.starts_with(directive)) rest.remove_prefix(directive.size());
    }
  }
  if (good && rest.empty()) return std::nullopt;
  return "\"" + std::string(value) +
         "\" is not \"max-age=SECONDS[; includeSubDomains][; preload]\"";
}

bool rule_applies(const FieldRule& rule, bool is_file, std::string_view path,
                  std::string_view other_path) {
  return (is_file || rule.always) && (path_matches(rule.path, path) ||
                                      (!other_path.empty() && path_matches(rule.path, other_path)));
}

void apply_rules(std::span<const FieldRule> rules, bool is_file, std::string_view path,
                 std::string_view other_path, Fields& fields) {
  for (const FieldRule& rule : rules) {
    if (!rule_applies(rule, is_file, path, other_path)) continue;
    for (const auto& [name, value] : rule.set) fields.set(name, value);
    for (const auto& [name, value] : rule.add) fields.add(name, value);
  }
}

}  // namespace perch::http
