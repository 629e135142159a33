#include "perchd/options.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perch/net/listen_url.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kMillion = 1'000'000;
constexpr std::uint64_t kKiB = 1ULL << 10, kMiB = 1ULL << 20, kGiB = 1ULL << 30;

constexpr std::string_view kLevels[] = {"trace", "debug", "info", "warning", "error", "off"};
constexpr std::string_view kAccessFormats[] = {"common", "combined", "json"};
constexpr std::string_view kTlsVersions[] = {"1.2", "1.3"};
constexpr std::string_view kClientCertificates[] = {"off", "request", "require"};

constexpr auto count(std::uint32_t& (*at)(Config&), std::uint32_t least, std::uint32_t most,
                     std::string_view remark = {}) {
  return CountOption{at, least, most, remark};
}

#define PERCHD_AT(member) [](Config& config) -> auto& { return config.member; }
#define PERCHD_CHOICE(words, member)                                                     \
  ChoiceOption {                                                                         \
    words, [](const Config& config) { return static_cast<std::size_t>(config.member); }, \
        [](Config& config, std::size_t index) {                                          \
          config.member = static_cast<decltype(config.member)>(index);                   \
        }                                                                                \
  }

const Option kOptions[] = {
    {"", "root", TextOption{PERCHD_AT(root)}},
    {"", "listen", UrlsOption{PERCHD_AT(listen)}},
    {"", "workers", count(PERCHD_AT(workers), 0, 1024, "0: one per CPU")},
    {"", "parking", SwitchOption{PERCHD_AT(parking)}},
    {"", "log_level", LevelOption{PERCHD_AT(log_level)}},
    {"", "log_file", NameOption{PERCHD_AT(log_file), "the name of a file, or \"stderr\"", false}},

    {"access_log", "file",
     NameOption{PERCHD_AT(access_log.file), "the name of a file, or \"stderr\""}},
    {"access_log", "format", PERCHD_CHOICE(kAccessFormats, access_log.format)},
    {"access_log", "queue", count(PERCHD_AT(access_log.queue), 16, kMillion)},

    {"process", "user", NameOption{PERCHD_AT(process.user), "the name of a user"}},
    {"process", "group", NameOption{PERCHD_AT(process.group), "the name of a group"}},
    {"process", "state_directory",
     NameOption{PERCHD_AT(process.state_directory), "the name of a directory"}},

    {"tls", "certificates", CertificatesOption{PERCHD_AT(tls.certificates)}},
    {"tls", "min_version", PERCHD_CHOICE(kTlsVersions, tls.min_version)},
    {"tls", "client_certificates", PERCHD_CHOICE(kClientCertificates, tls.client_certificates)},
    {"tls", "client_ca", NameOption{PERCHD_AT(tls.client_ca), "a file of certificates in PEM"}},
    {"tls", "session_tickets", SwitchOption{PERCHD_AT(tls.session_tickets)}},
    {"tls", "ticket_keys",
     NameOption{PERCHD_AT(tls.ticket_keys), "a file of 1 to 3 keys of 80 bytes"}},
    {"tls", "ticket_rotation", DurationOption{PERCHD_AT(tls.ticket_rotation), 1min, 24 * 7h}},

    {"timeouts", "drain", DurationOption{PERCHD_AT(timeouts.drain), 0ms, 24h}},
    {"timeouts", "upgrade", DurationOption{PERCHD_AT(timeouts.upgrade), 1s, 1h}},
    {"timeouts", "http2_idle", DurationOption{PERCHD_AT(timeouts.http2_idle), 1s, 24 * 7h}},
    {"timeouts", "http1_idle", DurationOption{PERCHD_AT(timeouts.http1_idle), 1s, 24 * 7h}},
    {"timeouts", "tls_handshake", DurationOption{PERCHD_AT(timeouts.tls_handshake), 100ms, 1h}},
    {"timeouts", "parking_grace", DurationOption{PERCHD_AT(timeouts.parking_grace), 0ms, 1h}},
    {"timeouts", "parking_grace_max",
     DurationOption{PERCHD_AT(timeouts.parking_grace_max), 0ms, 1h}},
    {"timeouts", "headers", DurationOption{PERCHD_AT(timeouts.headers), 100ms, 1h}},
    {"timeouts", "settings_ack", DurationOption{PERCHD_AT(timeouts.settings_ack), 100ms, 1h}},
    {"timeouts", "partial_frame", DurationOption{PERCHD_AT(timeouts.partial_frame), 100ms, 1h}},
    {"timeouts", "write_stall", DurationOption{PERCHD_AT(timeouts.write_stall), 100ms, 24h}},

    {"limits", "header_bytes", SizeOption{PERCHD_AT(limits.header_bytes), kKiB, 16 * kMiB}},
    {"limits", "header_fields", count(PERCHD_AT(limits.header_fields), 8, 65'535)},
    {"limits", "concurrent_streams", count(PERCHD_AT(limits.concurrent_streams), 1, 65'535)},
    {"limits", "continuation_frames", count(PERCHD_AT(limits.continuation_frames), 0, 4096)},
    {"limits", "resets_per_10s", count(PERCHD_AT(limits.resets_per_10s), 1, kMillion)},
    {"limits", "useless_frames_per_10s",
     count(PERCHD_AT(limits.useless_frames_per_10s), 1, kMillion)},
    {"limits", "queued_control_frames",
     count(PERCHD_AT(limits.queued_control_frames), 10, kMillion)},
    {"limits", "minimum_rate", SizeOption{PERCHD_AT(limits.minimum_rate), 0, kGiB}},
    {"limits", "http1_target_bytes", SizeOption{PERCHD_AT(limits.http1_target_bytes), 256, kMiB}},
    {"limits", "http1_chunk_extension_bytes",
     SizeOption{PERCHD_AT(limits.http1_chunk_extension_bytes), 0, kMiB}},
    {"limits", "http1_body_bytes", SizeOption{PERCHD_AT(limits.http1_body_bytes), 0, 1024 * kGiB}},
    {"limits", "tls_handshakes", count(PERCHD_AT(limits.tls_handshakes), 1, kMillion)},

    {"file_cache", "files", count(PERCHD_AT(file_cache.files), 0, kMillion, "0: no cache")},
    {"file_cache", "open_files", count(PERCHD_AT(file_cache.open_files), 0, kMillion)},
    {"file_cache", "memory", SizeOption{PERCHD_AT(file_cache.memory), 0, 1024 * kGiB}},
    {"file_cache", "largest_body", SizeOption{PERCHD_AT(file_cache.largest_body), 0, 64 * kMiB}},
    {"file_cache", "revalidate", DurationOption{PERCHD_AT(file_cache.revalidate), 0ms, 24h}},
};
#undef PERCHD_AT
#undef PERCHD_CHOICE

// Each returns what is wrong, to be read after the option's name, or an empty text.
struct Store {
  Config& config;
  const Value& value;

  std::string unusable() const { return fmt::format("is {}", described(value)); }
  template <class T>
  const T* get() const {
    return std::get_if<T>(&value);
  }
  std::string about(std::string_view wrong) const {
    return fmt::format("{} {}", described(value), wrong);
  }

  std::string operator()(const CountOption& option) const {
    const auto* number = get<std::int64_t>();
    if (number == nullptr) return unusable();
    if (*number < option.least || *number > option.most) return unusable();
    option.at(config) = static_cast<std::uint32_t>(*number);
    return {};
  }

  template <class Quantity, class Kind>
  std::string store_quantity(
      const Kind& option, std::expected<Quantity, std::string> (*parse)(std::string_view)) const {
    if (get<std::int64_t>() != nullptr) return about("has no unit");
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    const auto quantity = parse(*text);
    if (!quantity) return about(quantity.error());
    if (*quantity < option.least || *quantity > option.most) return unusable();
    option.at(config) = *quantity;
    return {};
  }
  std::string operator()(const SizeOption& option) const {
    return store_quantity<std::uint64_t>(option, parse_size);
  }
  std::string operator()(const DurationOption& option) const {
    return store_quantity<Duration>(option, parse_duration);
  }

  std::string operator()(const SwitchOption& option) const {
    const bool* yes = get<bool>();
    if (yes == nullptr) return unusable();
    option.at(config) = *yes;
    return {};
  }

  std::string operator()(const TextOption& option) const {
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    if (text->empty()) return "is empty";
    if (text->find('\0') != text->npos) return "has a zero byte";
    option.at(config) = *text;
    return {};
  }

  std::string operator()(const UrlsOption& option) const {
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    const auto address = net::parse_listen_url(*text);
    if (!address) return about(address.error());
    auto& urls = option.at(config);
    for (const std::string& other : urls) {
      // Port 0 is another port each time.
      if (address->port != 0 && net::parse_listen_url(other) == address)
        return about("is listed twice");
    }
    urls.push_back(*text);
    return {};
  }

  std::string operator()(const LevelOption& option) const {
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    const auto found = std::ranges::find(kLevels, *text);
    if (found == std::end(kLevels)) return unusable();
    option.at(config) = static_cast<LogLevel>(found - std::begin(kLevels));
    return {};
  }

  std::string operator()(const ChoiceOption& option) const {
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    const auto found = std::ranges::find(option.words, *text);
    if (found == option.words.end()) return unusable();
    option.set(config, static_cast<std::size_t>(found - option.words.begin()));
    return {};
  }

  std::string operator()(const NameOption& option) const {
    const auto* text = get<std::string>();
    if (text == nullptr) return unusable();
    if (text->find('\0') != text->npos) return "has a zero byte";
    if (text->empty() && !option.may_be_empty) return "is empty";
    option.at(config) = *text;
    return {};
  }

  std::string operator()(const CertificatesOption&) const { return unusable(); }
};

struct Expect {
  std::string operator()(const CountOption& option) const {
    std::string text =
        fmt::format("expected a whole number from {} to {}", option.least, option.most);
    if (!option.remark.empty()) text += fmt::format(" ({})", option.remark);
    return text;
  }
  std::string operator()(const SizeOption& option) const {
    return fmt::format("expected a size in B, KiB, MiB or GiB from \"{}\" to \"{}\"",
                       format_size(option.least), format_size(option.most));
  }
  std::string operator()(const DurationOption& option) const {
    return fmt::format("expected a duration in ms, s, min or h from \"{}\" to \"{}\"",
                       format_duration(option.least), format_duration(option.most));
  }
  std::string operator()(const SwitchOption&) const { return "expected true or false"; }
  std::string operator()(const TextOption&) const {
    return "expected a string that names a directory";
  }
  std::string operator()(const UrlsOption&) const {
    return "expected http://HOST[:PORT] or https://HOST[:PORT]";
  }
  std::string operator()(const LevelOption&) const {
    return fmt::format("expected one of {}", fmt::join(kLevels, ", "));
  }
  std::string operator()(const ChoiceOption& option) const {
    return fmt::format("expected one of {}", fmt::join(option.words, ", "));
  }
  std::string operator()(const NameOption& option) const {
    return fmt::format("expected a string: {}", option.expected);
  }
  std::string operator()(const CertificatesOption&) const {
    return "expected a list of { certificate = \"FILE\", key = \"FILE\" }";
  }
};

}  // namespace

std::string_view to_string(LogLevel level) { return kLevels[static_cast<std::size_t>(level)]; }

std::string Option::name() const {
  return table.empty() ? std::string(key) : fmt::format("{}.{}", table, key);
}

std::span<const Option> options() { return kOptions; }

std::vector<std::string_view> table_names() {
  std::vector<std::string_view> names;
  for (const Option& option : kOptions) {
    if (!option.table.empty() && std::ranges::find(names, option.table) == names.end()) {
      names.push_back(option.table);
    }
  }
  return names;
}

std::vector<std::string_view> keys_of(std::string_view table) {
  std::vector<std::string_view> keys;
  for (const Option& option : kOptions) {
    if (option.table == table) keys.push_back(option.key);
  }
  return keys;
}

const Option* find_option(std::string_view table, std::string_view key) {
  for (const Option& option : kOptions) {
    if (option.table == table && option.key == key) return &option;
  }
  return nullptr;
}

std::string described(const Value& value) {
  struct Describe {
    std::string operator()(const std::string& text) const { return fmt::format("{:?}", text); }
    std::string operator()(std::int64_t number) const { return fmt::format("{}", number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(bool yes) const { return yes ? "true" : "false"; }
    std::string operator()(Other other) const { return std::string(other.type); }
  };
  return std::visit(Describe{}, value);
}

std::optional<Mistake> set(Config& config, const Option& option, const Value& value) {
  const std::string wrong = std::visit(Store{config, value}, option.kind);
  if (wrong.empty()) return std::nullopt;
  return Mistake{fmt::format("{} {}", option.name(), wrong), expectation(option)};
}

std::vector<std::string> differences(const Config& a, const Config& b) {
  std::vector<std::string> names;
  Config left = a;
  Config right = b;
  for (const Option& option : kOptions) {
    const bool same = std::visit(
        [&](const auto& kind) {
          if constexpr (requires { kind.at; }) {
            return kind.at(left) == kind.at(right);
          } else {
            return kind.get(left) == kind.get(right);
          }
        },
        option.kind);
    if (!same) names.push_back(option.name());
  }
  return names;
}

std::string expectation(const Option& option) { return std::visit(Expect{}, option.kind); }

}  // namespace perch::perchd
