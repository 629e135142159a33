// The table of everything that can be set, and how one value is checked and stored. It knows
// neither TOML nor flags: both turn what they read into a Value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "perchd/config.h"

namespace perch::perchd {

struct CountOption {
  std::uint32_t& (*at)(Config&);
  std::uint32_t least, most;
  std::string_view remark;  // what a special value means; may be empty
};
struct SizeOption {
  std::uint64_t& (*at)(Config&);
  std::uint64_t least, most;
};
struct DurationOption {
  Duration& (*at)(Config&);
  Duration least, most;
};
struct SwitchOption {
  bool& (*at)(Config&);
};
struct TextOption {
  std::string& (*at)(Config&);
};
struct UrlsOption {
  std::vector<std::string>& (*at)(Config&);
};
struct LevelOption {
  LogLevel& (*at)(Config&);
};
// One word of several.
struct ChoiceOption {
  std::span<const std::string_view> words;
  std::size_t (*get)(const Config&);  // which of them
  void (*set)(Config&, std::size_t);
};
// A text that names something.
struct NameOption {
  std::string& (*at)(Config&);
  std::string_view expected;  // "a file of certificates in PEM"
  bool may_be_empty = true;
};
// A list of tables, which only a file can give.
struct CertificatesOption {
  std::vector<Certificate>& (*at)(Config&);
};

struct Option {
  std::string_view table;  // empty: before the first table
  std::string_view key;
  std::variant<CountOption, SizeOption, DurationOption, SwitchOption, TextOption, UrlsOption,
               LevelOption, ChoiceOption, NameOption, CertificatesOption>
      kind;

  std::string name() const;  // "limits.header_bytes"
};

std::span<const Option> options();

// The tables' names and the keys of one table, for guesses at misspelt ones.
std::vector<std::string_view> table_names();
std::vector<std::string_view> keys_of(std::string_view table);
const Option* find_option(std::string_view table, std::string_view key);

// A value that was read; `Other` names a type that no option has ("a date").
struct Other {
  std::string_view type;
};
using Value = std::variant<std::string, std::int64_t, double, bool, Other>;
// As a mistake tells of it: a text in quotes, a number as it is.
std::string described(const Value& value);

struct Mistake {
  std::string what;
  std::string expected;
};

// Stores `value`; a UrlsOption appends it.
std::optional<Mistake> set(Config& config, const Option& option, const Value& value);

// The names of the options whose values differ.
std::vector<std::string> differences(const Config& a, const Config& b);

// "expected a whole number from 0 to 1024": what set() takes.
std::string expectation(const Option& option);

}  // namespace perch::perchd
