// The only file that includes toml++: it takes seconds to compile.
//
// toml++ 3.3 asserts where some documents only are wrong (`a = [ }`), and without assertions their
// conditions become assumptions: undefined behaviour. So its assertions stay on, and throw.
#undef NDEBUG
namespace {
struct ParserGaveUp {};
[[noreturn]] void give_up() { throw ParserGaveUp{}; }
}  // namespace
#define TOML_ASSERT(condition) ((condition) ? static_cast<void>(0) : give_up())
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 1
#define TOML_MAX_NESTED_VALUES 16
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "perchd/config.h"
#include "perchd/options.h"
#include "perchd/toml_text.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

constexpr const char* kExpectedToml = "expected TOML: key = value, [table] or # comment";

std::string_view type_name(toml::node_type type) {
  switch (type) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time of day";
    case toml::node_type::date_time:
      return "a date and time";
    default:
      return "nothing";
  }
}

Value value_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* yes = node.as_boolean()) return yes->get();
  return Other{type_name(node.type())};
}

// One reading of one file.
class Reader {
 public:
  Reader(std::string_view file_name, const Config& base) : file_name_(file_name), config_(base) {}

  std::expected<Config, ConfigErrors> read(std::string_view text) {
    if (const auto stray = first_stray_character(text)) {
      return std::unexpected(
          ConfigErrors{{fmt::format("{}:{}:{}", file_name_, stray->line, stray->column),
                        std::string(stray->what), kExpectedToml}});
    }
    toml::table document;
    // What cannot be read is found in a stand-in, see ascii_stand_in.
    const std::string stand_in = ascii_stand_in(text);
    try {
      document = toml::parse(stand_in);
      if (stand_in != text) document = toml::parse(text);
    } catch (const toml::parse_error& error) {
      return std::unexpected(ConfigErrors{syntax_error(error)});
    } catch (const ParserGaveUp&) {
      return std::unexpected(ConfigErrors{gave_up(stand_in)});
    }
    read_table(document, {});
    if (found_.empty()) check_together(document);
    if (found_.empty()) return std::move(config_);
    // toml++ keeps keys in alphabetical order; readers go from top to bottom.
    std::ranges::sort(found_, {}, &Found::at);
    ConfigErrors errors;
    for (Found& found : found_) errors.push_back(std::move(found.error));
    return std::unexpected(std::move(errors));
  }

 private:
  struct Found {
    std::pair<toml::source_index, toml::source_index> at;
    ConfigError error;
  };

  std::string where(const toml::source_position& at) const {
    return fmt::format("{}:{}:{}", file_name_, at.line, at.column);
  }

  void wrong(const toml::source_position& at, std::string what, std::string expected) {
    found_.push_back({{at.line, at.column}, {where(at), std::move(what), std::move(expected)}});
  }

  ConfigError syntax_error(const toml::parse_error& error) const {
    std::string what(error.description());
    // "Error while parsing key: expected ..." reads better without its first words.
    constexpr std::string_view kPrefix = "Error while parsing ";
    if (what.starts_with(kPrefix)) what.erase(0, kPrefix.size());
    return {where(error.source().begin), "cannot be read: " + what, kExpectedToml};
  }

  // The parser does not say where it gave up: after the shortest beginning of whole lines at which
  // it does so.
  ConfigError gave_up(std::string_view text) const {
    std::vector<std::size_t> line_ends;
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at + 1)) {
      line_ends.push_back(at);
    }
    const auto reads_on = [&](std::size_t end) {
      try {
        static_cast<void>(toml::parse(text.substr(0, end)));
      } catch (const toml::parse_error&) {
      } catch (const ParserGaveUp&) {
        return false;
      }
      return true;
    };
    const auto line = 1 + (std::ranges::partition_point(line_ends, reads_on) - line_ends.begin());
    return {fmt::format("{}:{}:1", file_name_, line),
            "cannot be read: a bracket or a value where none may stand", kExpectedToml};
  }

  // `name` is empty for the document itself.
  void read_table(const toml::table& table, std::string_view name) {
    for (const auto& [key, node] : table) {
      const toml::source_position at = key.source().begin;
      if (name.empty() && std::ranges::count(table_names(), key.str()) != 0) {
        if (const toml::table* inner = node.as_table()) {
          read_table(*inner, key.str());
        } else {
          wrong(at, fmt::format("{} is not a table", key.str()),
                fmt::format("expected a table: [{}]", key.str()));
        }
      } else if (const Option* option = find_option(name, key.str())) {
        read_option(*option, node);
      } else {
        unknown(at, name, key.str(), node);
      }
    }
  }

  void read_option(const Option& option, const toml::node& node) {
    const auto* urls = std::get_if<UrlsOption>(&option.kind);
    if (urls == nullptr) return set_option(option, node);
    urls->at(config_).clear();
    const toml::array* list = node.as_array();
    if (list == nullptr) return set_option(option, node);
    if (list->empty()) {
      wrong(node.source().begin, fmt::format("{} is an empty list", option.name()),
            "expected one or more of http://HOST[:PORT]");
    }
    for (const toml::node& element : *list) set_option(option, element);
  }

  void set_option(const Option& option, const toml::node& node) {
    if (auto mistake = set(config_, option, value_of(node))) {
      wrong(node.source().begin, std::move(mistake->what), std::move(mistake->expected));
    }
  }

  void unknown(const toml::source_position& at, std::string_view table, std::string_view key,
               const toml::node& node) {
    const std::string what = table.empty() && node.is_table()
                                 ? fmt::format("unknown table [{}]", key)
                                 : fmt::format("unknown key {:?}{}", key,
                                               table.empty() ? "" : fmt::format(" in [{}]", table));
    std::vector<std::string_view> known =
        table.empty() && node.is_table() ? table_names() : keys_of(table);
    if (const auto meant = closest(key, known); !meant.empty()) {
      return wrong(at, what, fmt::format("did you mean {:?}?", meant));
    }
    for (const Option& option : options()) {
      if (option.key != key || option.table == table) continue;
      return wrong(at, what,
                   option.table.empty()
                       ? fmt::format("expected {:?} before the first table", key)
                       : fmt::format("expected {:?} in the table [{}]", key, option.table));
    }
    wrong(at, what, fmt::format("expected one of {}", fmt::join(known, ", ")));
  }

  // What is wrong only in combination.
  void check_together(const toml::table& document) {
    const FileCache& cache = config_.file_cache;
    if (cache.largest_body > cache.memory) {
      wrong(position_of(document, "file_cache", "largest_body", "memory"),
            fmt::format("file_cache.largest_body is {:?}, more than file_cache.memory",
                        format_size(cache.largest_body)),
            fmt::format("expected at most {:?}", format_size(cache.memory)));
    }
    const Timeouts& timeouts = config_.timeouts;
    if (timeouts.parking_grace > timeouts.parking_grace_max) {
      wrong(position_of(document, "timeouts", "parking_grace", "parking_grace_max"),
            fmt::format("timeouts.parking_grace is {:?}, more than timeouts.parking_grace_max",
                        format_duration(timeouts.parking_grace)),
            fmt::format("expected at most {:?}", format_duration(timeouts.parking_grace_max)));
    }
  }

  // Where `first` stands, or else `second`.
  static toml::source_position position_of(const toml::table& document, std::string_view table,
                                           std::string_view first, std::string_view second) {
    for (std::string_view key : {first, second}) {
      if (const auto node = document[table][key]) return node.node()->source().begin;
    }
    return {1, 1};
  }

  std::string_view file_name_;
  Config config_;
  std::vector<Found> found_;
};

}  // namespace

std::expected<Config, ConfigErrors> parse_toml(std::string_view text, std::string_view file_name,
                                               const Config& base) {
  return Reader(file_name, base).read(text);
}

}  // namespace perch::perchd
