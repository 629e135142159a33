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
#include "perchd/sites_toml.h"
#include "perchd/toml_text.h"
#include "perchd/toml_tree.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

constexpr std::string_view kCertificateKeys[] = {"certificate", "key", "ocsp_response"};
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

TomlPosition position(const toml::source_position& at) { return {at.line, at.column}; }

// What read_sites reads.
TomlNode tree_of(const toml::node& node) {
  TomlNode tree;
  tree.at = position(node.source().begin);
  if (const toml::table* table = node.as_table()) {
    tree.kind = TomlNode::Kind::kTable;
    for (const auto& [key, value] : *table) {
      TomlNode& item = tree.items.emplace_back(tree_of(value));
      item.key = key.str();
      item.key_at = position(key.source().begin);
    }
  } else if (const toml::array* array = node.as_array()) {
    tree.kind = TomlNode::Kind::kArray;
    for (const toml::node& item : *array) tree.items.push_back(tree_of(item));
  } else {
    tree.value = value_of(node);
  }
  return tree;
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
    for (SiteMistake& mistake : read_sites(sites_, config_)) {
      wrong({static_cast<toml::source_index>(mistake.at.line),
             static_cast<toml::source_index>(mistake.at.column)},
            std::move(mistake.what), std::move(mistake.expected));
    }
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
      if (name.empty() && std::ranges::count(site_tables(), key.str()) != 0) {
        TomlNode& site = sites_.emplace_back(tree_of(node));
        site.key = key.str();
        site.key_at = position(at);
      } else if (name.empty() && std::ranges::count(table_names(), key.str()) != 0) {
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
    if (const auto* certificates = std::get_if<CertificatesOption>(&option.kind)) {
      if (const toml::array* list = node.as_array()) {
        return read_certificates(certificates->at(config_), *list, option);
      }
      return set_option(option, node);
    }
    const auto* urls = std::get_if<UrlsOption>(&option.kind);
    if (urls == nullptr) return set_option(option, node);
    urls->at(config_).clear();
    const toml::array* list = node.as_array();
    if (list == nullptr) return set_option(option, node);
    if (list->empty()) {
      wrong(node.source().begin, fmt::format("{} is an empty list", option.name()),
            "expected one or more of http://HOST[:PORT] or https://HOST[:PORT]");
    }
    for (const toml::node& element : *list) set_option(option, element);
  }

  void read_certificates(std::vector<Certificate>& certificates, const toml::array& list,
                         const Option& option) {
    certificates.clear();
    for (const toml::node& element : list) {
      const toml::table* table = element.as_table();
      if (table == nullptr) {
        set_option(option, element);
        continue;
      }
      Certificate& certificate = certificates.emplace_back();
      certificate.where = where(element.source().begin);
      for (const auto& [key, node] : *table) {
        const toml::source_position at = key.source().begin;
        std::string* const value = certificate_file(certificate, key.str());
        if (value == nullptr) {
          const auto meant = closest(key.str(), kCertificateKeys);
          wrong(at, fmt::format("unknown key {:?} in {}", key.str(), option.name()),
                meant.empty() ? fmt::format("expected one of {}", fmt::join(kCertificateKeys, ", "))
                              : fmt::format("did you mean {:?}?", meant));
        } else if (const auto* text = node.as_string(); text != nullptr && !text->get().empty()) {
          *value = text->get();
        } else {
          wrong(node.source().begin,
                fmt::format("{}.{} is not the name of a file", option.name(), key.str()),
                "expected a string that names a file");
        }
      }
      for (const std::string_view key : {"certificate", "key"}) {
        if (table->contains(key)) continue;
        wrong(element.source().begin,
              fmt::format("{} has an entry without {:?}", option.name(), key), expectation(option));
      }
    }
  }

  static std::string* certificate_file(Certificate& certificate, std::string_view key) {
    if (key == "certificate") return &certificate.certificate;
    if (key == "key") return &certificate.key;
    if (key == "ocsp_response") return &certificate.ocsp_response;
    return nullptr;
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
    const bool is_table = node.is_table() || node.is_array_of_tables();
    std::vector<std::string_view> known =
        table.empty() && is_table ? table_names() : keys_of(table);
    if (table.empty() && is_table) {
      known.insert(known.end(), site_tables().begin(), site_tables().end());
    }
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
    const Tls& tls = config_.tls;
    const bool asks = tls.client_certificates != ClientCertificates::kOff;
    if (asks && tls.client_ca.empty()) {
      wrong(position_of(document, "tls", "client_certificates", "client_ca"),
            "tls.client_certificates needs to know who may issue them",
            "expected tls.client_ca with a file of certificates in PEM");
    }
    if (!asks && !tls.client_ca.empty()) {
      wrong(position_of(document, "tls", "client_ca", "client_certificates"),
            "tls.client_ca has no effect while tls.client_certificates is off",
            "expected tls.client_certificates to be request or require");
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
  std::vector<TomlNode> sites_;
  std::vector<Found> found_;
};

}  // namespace

std::expected<Config, ConfigErrors> parse_toml(std::string_view text, std::string_view file_name,
                                               const Config& base) {
  return Reader(file_name, base).read(text);
}

}  // namespace perch::perchd
