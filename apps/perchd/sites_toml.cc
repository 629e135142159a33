#include "perchd/sites_toml.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perch/base/ascii.h"
#include "perch/http/host_router.h"
#include "perch/http/path.h"
#include "perch/http/path_pattern.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

using Kind = TomlNode::Kind;
using Keys = std::span<const std::string_view>;

// Those that the file service makes.
constexpr int kErrorStatuses[] = {400, 404, 405, 412, 416, 503};
constexpr std::string_view kTables[] = {"files", "header", "redirect", "host"};
constexpr std::string_view kFilesKeys[] = {"index",    "symlinks", "listing",    "precompressed",
                                           "fallback", "hsts",     "error_pages"};
constexpr std::string_view kHostKeys[] = {"names",       "root",          "index",    "symlinks",
                                          "listing",     "precompressed", "fallback", "hsts",
                                          "error_pages", "header",        "redirect"};
constexpr std::string_view kHeaderKeys[] = {"path", "cache_control", "set", "add", "always"};
constexpr std::string_view kRedirectKeys[] = {"from", "to", "status"};

constexpr const char* kExpectedPage = "expected a path from the root, such as \"/404.html\"";
constexpr const char* kExpectedPattern = "expected a path such as \"/assets/*\" or \"*.css\"";
constexpr const char* kExpectedFields = "expected a table of strings: { name = \"value\" }";
constexpr const char* kExpectedCodings = "expected a list of \"br\", \"zstd\", \"gzip\"";
constexpr const char* kExpectedNames =
    "expected a list of host names, such as \"example.com\" or \"*.example.com\"";
constexpr const char* kExpectedHsts =
    "expected \"max-age=SECONDS\", with or without \"; includeSubDomains\" and \"; preload\"";
constexpr const char* kExpectedRedirect =
    "expected from = \"/path\" or \"/path/*\", and to = a path or an http or https URL, with "
    "\"/*\" "
    "at its end if from has it";

std::string described(const TomlNode& node) {
  if (node.kind == Kind::kArray) return "an array";
  if (node.kind == Kind::kTable) return "a table";
  return described(node.value);
}

const TomlNode* member(const TomlNode& table, std::string_view key) {
  const auto found = std::ranges::find(table.items, key, &TomlNode::key);
  return found == table.items.end() ? nullptr : &*found;
}

class Reader {
 public:
  explicit Reader(Config& config) : config_(config) {}

  std::vector<SiteMistake> read(const std::vector<TomlNode>& members) {
    // Hosts come last: they start from what the others say.
    for (const std::string_view name : kTables) {
      for (const TomlNode& node : members) {
        if (node.key == name) read_member(node);
      }
    }
    return std::move(mistakes_);
  }

 private:
  void wrong(TomlPosition at, std::string what, std::string expected) {
    mistakes_.push_back({at, std::move(what), std::move(expected)});
  }
  void unusable(const TomlNode& node, std::string_view name, std::string expected) {
    wrong(node.at, fmt::format("{} is {}", name, described(node)), std::move(expected));
  }

  void read_member(const TomlNode& node) {
    if (node.key == "files") {
      if (node.kind != Kind::kTable) {
        return wrong(node.key_at, "files is not a table", "expected a table: [files]");
      }
      know_keys(node, kFilesKeys, "[files]");
      return read_files(node, "files", config_.files);
    }
    if (node.key == "header") return read_headers(node, "header", config_.files.headers);
    if (node.key == "redirect") return read_redirects(node, "redirect", config_.files.redirects);
    config_.hosts.clear();
    for_each_table(node, "host", [&](const TomlNode& table) { read_host(table); });
  }

  void know_keys(const TomlNode& table, Keys keys, std::string_view name) {
    for (const TomlNode& each : table.items) {
      if (std::ranges::find(keys, each.key) != keys.end()) continue;
      const std::string_view meant = closest(each.key, keys);
      wrong(each.key_at, fmt::format("unknown key {:?} in {}", each.key, name),
            meant.empty() ? fmt::format("expected one of {}", fmt::join(keys, ", "))
                          : fmt::format("did you mean {:?}?", meant));
    }
  }

  template <class Read>
  void for_each_table(const TomlNode& node, std::string_view name, const Read& read) {
    const std::string expected = fmt::format("expected tables: [[{}]]", name);
    if (node.kind != Kind::kArray) {
      return wrong(node.key_at, fmt::format("{} is {}", name, described(node)), expected);
    }
    for (const TomlNode& each : node.items) {
      if (each.kind == Kind::kTable) {
        read(each);
      } else {
        unusable(each, name, expected);
      }
    }
  }

  // --- single values; nothing where the key is absent or its value wrong
  const std::string* text(const TomlNode& table, std::string_view key, std::string_view prefix,
                          std::string expected) {
    const TomlNode* node = member(table, key);
    if (node == nullptr) return nullptr;
    return text_of(*node, fmt::format("{}.{}", prefix, key), std::move(expected));
  }
  const std::string* text_of(const TomlNode& node, const std::string& name, std::string expected) {
    const auto* value = node.kind == Kind::kValue ? std::get_if<std::string>(&node.value) : nullptr;
    if (value == nullptr) {
      unusable(node, name, std::move(expected));
    } else if (value->find('\0') != value->npos) {
      wrong(node.at, name + " has a zero byte", std::move(expected));
      value = nullptr;
    }
    return value;
  }
  void read_switch(const TomlNode& table, std::string_view key, std::string_view prefix,
                   bool& setting) {
    const TomlNode* node = member(table, key);
    if (node == nullptr) return;
    const bool* value = node->kind == Kind::kValue ? std::get_if<bool>(&node->value) : nullptr;
    if (value == nullptr) {
      return unusable(*node, fmt::format("{}.{}", prefix, key), "expected true or false");
    }
    setting = *value;
  }

  // --- [files], and the same keys of a host
  void read_files(const TomlNode& table, std::string_view prefix, Files& files) {
    read_switch(table, "listing", prefix, files.listing);
    read_index(table, prefix, files.index);
    read_symlinks(table, prefix, files.follow_symlinks);
    if (const TomlNode* node = member(table, "precompressed")) {
      read_codings(*node, fmt::format("{}.precompressed", prefix), files.precompressed);
    }
    read_checked(table, "fallback", prefix, kExpectedPage, http::file_path_mistake, files.fallback);
    read_checked(table, "hsts", prefix, kExpectedHsts, http::hsts_mistake, files.hsts);
    if (const TomlNode* node = member(table, "error_pages")) {
      read_error_pages(*node, fmt::format("{}.error_pages", prefix), files.error_pages);
    }
  }

  void read_index(const TomlNode& table, std::string_view prefix, std::string& setting) {
    const char* expected = "expected the name of a file, or \"\" for none";
    const std::string* value = text(table, "index", prefix, expected);
    if (value == nullptr) return;
    if (value->find('/') != value->npos || value->starts_with('.')) {
      return wrong(member(table, "index")->at, fmt::format("{}.index is {:?}", prefix, *value),
                   expected);
    }
    setting = *value;
  }

  void read_symlinks(const TomlNode& table, std::string_view prefix, bool& follow) {
    const char* expected = "expected \"follow\" (below the root) or \"never\"";
    const std::string* value = text(table, "symlinks", prefix, expected);
    if (value == nullptr) return;
    if (*value != "follow" && *value != "never") {
      return wrong(member(table, "symlinks")->at,
                   fmt::format("{}.symlinks is {:?}", prefix, *value), expected);
    }
    follow = *value == "follow";
  }

  // A text that may be empty, for none.
  void read_checked(const TomlNode& table, std::string_view key, std::string_view prefix,
                    const char* expected,
                    std::optional<std::string> (*mistake_in)(std::string_view),
                    std::string& setting) {
    const std::string* value = text(table, key, prefix, expected);
    if (value == nullptr) return;
    if (!value->empty() && mistake_in(*value)) {
      return wrong(member(table, key)->at, fmt::format("{}.{} is {:?}", prefix, key, *value),
                   expected);
    }
    setting = *value;
  }

  void read_codings(const TomlNode& node, const std::string& name,
                    std::vector<http::ContentCoding>& codings) {
    codings.clear();
    if (node.kind != Kind::kArray) return unusable(node, name, kExpectedCodings);
    for (const TomlNode& each : node.items) {
      const std::string* value = text_of(each, name, kExpectedCodings);
      if (value == nullptr) continue;
      const auto coding = http::parse_content_coding(*value);
      if (!coding || *coding == http::ContentCoding::kIdentity) {
        wrong(each.at, fmt::format("{} has the unknown coding {:?}", name, *value),
              kExpectedCodings);
      } else if (std::ranges::count(codings, *coding) > 0) {
        wrong(each.at, fmt::format("{} lists {:?} twice", name, *value), kExpectedCodings);
      } else {
        codings.push_back(*coding);
      }
    }
  }

  void read_error_pages(const TomlNode& node, const std::string& name,
                        std::map<int, std::string>& pages) {
    const char* expected = "expected pages by status: { 404 = \"/404.html\" }";
    if (node.kind != Kind::kTable) return unusable(node, name, expected);
    pages.clear();
    for (const TomlNode& each : node.items) {
      int status = 0;
      const char* end = each.key.data() + each.key.size();
      const auto [stop, error] = std::from_chars(each.key.data(), end, status);
      if (error != std::errc{} || stop != end ||
          std::ranges::find(kErrorStatuses, status) == std::end(kErrorStatuses)) {
        wrong(each.key_at, fmt::format("{} has the key {:?}", name, each.key),
              "expected a status that perchd answers with: 400, 404, 405, 412, 416 or 503");
        continue;
      }
      const std::string page_name = fmt::format("{}.{}", name, status);
      const std::string* path = text_of(each, page_name, kExpectedPage);
      if (path == nullptr) continue;
      if (http::file_path_mistake(*path)) {
        wrong(each.at, fmt::format("{} is {:?}", page_name, *path), kExpectedPage);
      } else {
        pages[status] = *path;
      }
    }
  }

  // --- [[header]]
  void read_headers(const TomlNode& node, std::string_view name,
                    std::vector<http::FieldRule>& rules) {
    for_each_table(node, name, [&](const TomlNode& table) { read_header(table, name, rules); });
  }

  void read_header(const TomlNode& table, std::string_view name,
                   std::vector<http::FieldRule>& rules) {
    know_keys(table, kHeaderKeys, fmt::format("[[{}]]", name));
    http::FieldRule rule;
    if (member(table, "path") == nullptr) {
      wrong(table.at, fmt::format("{} has no path", name), kExpectedPattern);
    } else if (const std::string* path = text(table, "path", name, kExpectedPattern)) {
      if (!http::is_path_pattern(*path)) {
        wrong(member(table, "path")->at, fmt::format("{}.path is {:?}", name, *path),
              kExpectedPattern);
      }
      rule.path = *path;
    }
    const char* expected = "expected a text such as \"no-cache\" or \"max-age=3600\"";
    if (const std::string* value = text(table, "cache_control", name, expected)) {
      add_field(*member(table, "cache_control"), "cache-control", *value, rule.set);
    }
    read_fields(table, "set", name, rule.set);
    read_fields(table, "add", name, rule.add);
    read_switch(table, "always", name, rule.always);
    const auto says_something = [&](std::string_view key) { return member(table, key) != nullptr; };
    if (!says_something("cache_control") && !says_something("set") && !says_something("add")) {
      wrong(table.at, fmt::format("{} changes nothing", name),
            "expected cache_control, set or add");
    }
    rules.push_back(std::move(rule));
  }

  void read_fields(const TomlNode& table, std::string_view key, std::string_view prefix,
                   std::vector<std::pair<std::string, std::string>>& fields) {
    const TomlNode* node = member(table, key);
    if (node == nullptr) return;
    const std::string name = fmt::format("{}.{}", prefix, key);
    if (node->kind != Kind::kTable) return unusable(*node, name, kExpectedFields);
    for (const TomlNode& each : node->items) {
      const std::string* value =
          text_of(each, fmt::format("{}.{}", name, each.key), kExpectedFields);
      if (value == nullptr) continue;
      const std::string field = lowered(each.key);
      if (key == "set" && field == "vary") {
        wrong(each.key_at, fmt::format("{}: vary can be added, not set", name),
              "expected it in the table add");
        continue;
      }
      add_field(each, field, *value, fields);
    }
  }

  void add_field(const TomlNode& node, const std::string& field, const std::string& value,
                 std::vector<std::pair<std::string, std::string>>& fields) {
    if (const auto mistake = http::field_mistake(field, value)) {
      return wrong(node.key_at, *mistake, "expected another field, or a value on one line");
    }
    fields.emplace_back(field, value);
  }

  // --- [[redirect]]
  void read_redirects(const TomlNode& node, std::string_view name,
                      std::vector<http::RedirectRule>& rules) {
    for_each_table(node, name, [&](const TomlNode& table) { read_redirect(table, name, rules); });
  }

  void read_redirect(const TomlNode& table, std::string_view name,
                     std::vector<http::RedirectRule>& rules) {
    know_keys(table, kRedirectKeys, fmt::format("[[{}]]", name));
    for (const std::string_view key : {"from", "to"}) {
      if (member(table, key) != nullptr) continue;
      return wrong(table.at, fmt::format("{} has no {:?}", name, key), kExpectedRedirect);
    }
    http::RedirectRule rule;
    const std::string* from = text(table, "from", name, kExpectedRedirect);
    const std::string* to = text(table, "to", name, kExpectedRedirect);
    if (from == nullptr || to == nullptr) return;
    if (const TomlNode* status = member(table, "status")) {
      const auto* number = std::get_if<std::int64_t>(&status->value);
      if (number == nullptr ||
          (*number != 301 && *number != 302 && *number != 307 && *number != 308)) {
        return unusable(*status, fmt::format("{}.status", name), "expected 301, 302, 307 or 308");
      }
      rule.status = static_cast<int>(*number);
    }
    rule.from = *from;
    rule.to = *to;
    if (const auto mistake = redirect_mistake(rule)) {
      const bool about_from = mistake->starts_with("from");
      return wrong(member(table, about_from ? "from" : "to")->at,
                   fmt::format("{}: {}", name, *mistake), kExpectedRedirect);
    }
    rules.push_back(std::move(rule));
  }

  // --- [[host]]
  void read_host(const TomlNode& table) {
    know_keys(table, kHostKeys, "[[host]]");
    Host host;
    read_names(table, host.names);
    const char* expected = "expected a string that names a directory";
    if (const std::string* root = text(table, "root", "host", expected)) {
      if (root->empty()) wrong(member(table, "root")->at, "host.root is empty", expected);
      host.root = *root;
    }
    host.files = config_.files;
    read_files(table, "host", host.files);
    if (const TomlNode* node = member(table, "header")) {
      read_headers(*node, "host.header", host.files.headers);
    }
    if (const TomlNode* node = member(table, "redirect")) {
      std::vector<http::RedirectRule> own;
      read_redirects(*node, "host.redirect", own);
      host.files.redirects.insert(host.files.redirects.begin(),
                                  std::make_move_iterator(own.begin()),
                                  std::make_move_iterator(own.end()));
    }
    config_.hosts.push_back(std::move(host));
  }

  void read_names(const TomlNode& table, std::vector<std::string>& names) {
    const TomlNode* node = member(table, "names");
    if (node == nullptr) return wrong(table.at, "host has no names", kExpectedNames);
    if (node->kind != Kind::kArray || node->items.empty()) {
      const bool empty = node->kind == Kind::kArray;
      return wrong(node->at,
                   empty ? "host.names is an empty list" : "host.names is " + described(*node),
                   kExpectedNames);
    }
    for (const TomlNode& each : node->items) {
      const std::string* name = text_of(each, "host.names", kExpectedNames);
      if (name == nullptr) continue;
      if (const auto mistake = http::host_name_mistake(*name)) {
        wrong(each.at, fmt::format("host.names {:?} {}", *name, *mistake), kExpectedNames);
        continue;
      }
      std::string known = lowered(*name);
      if (known.ends_with('.')) known.pop_back();
      if (std::ranges::find(known_names_, known) != known_names_.end()) {
        wrong(each.at, fmt::format("host.names {:?} is listed twice", *name), kExpectedNames);
        continue;
      }
      known_names_.push_back(std::move(known));
      names.push_back(*name);
    }
  }

  Config& config_;
  std::vector<std::string> known_names_;
  std::vector<SiteMistake> mistakes_;
};

}  // namespace

std::span<const std::string_view> site_tables() { return kTables; }

std::span<const std::string_view> files_keys() { return kFilesKeys; }

std::vector<SiteMistake> read_sites(const std::vector<TomlNode>& members, Config& config) {
  return Reader(config).read(members);
}

}  // namespace perch::perchd
