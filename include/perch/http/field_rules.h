// Response fields by path: "every file below /assets/ with this Cache-Control".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perch/http/fields.h"

namespace perch::http {

struct FieldRule {
  std::string path;  // see path_pattern.h
  // Lower-case names with their values. `set` replaces what is there, `add` appends a line.
  std::vector<std::pair<std::string, std::string>> set;
  std::vector<std::pair<std::string, std::string>> add;
  // Also for responses that are not the file itself: errors, redirects, listings.
  bool always = false;

  friend bool operator==(const FieldRule&, const FieldRule&) = default;
};

// What is wrong with a field that a rule is to set ("content-length is the server's own"), or
// nothing. Refused are malformed names and values, and fields that frame the message or that follow
// from the content: a rule that changed them would make the message a lie.
std::optional<std::string> field_mistake(std::string_view name, std::string_view value);

// What is wrong with a rule: its pattern, or one of its fields.
std::optional<std::string> rule_mistake(const FieldRule& rule);

// Whether a rule that holds for `status`, and only rules that say so hold for others than 200, 206
// and 304, concerns one of the paths; either may be empty. REQUIRES: no rule has a mistake.
bool rule_applies(const FieldRule& rule, bool is_file, std::string_view path,
                  std::string_view other_path);

// Applies the rules that concern one of the paths, in their order.
void apply_rules(std::span<const FieldRule> rules, bool is_file, std::string_view path,
                 std::string_view other_path, Fields& fields);

// What is wrong with a value of Strict-Transport-Security (RFC 6797 section 6.1), or nothing. Taken
// is "max-age=SECONDS", with "; includeSubDomains" and "; preload" behind it in that order.
std::optional<std::string> hsts_mistake(std::string_view value);

}  // namespace perch::http
