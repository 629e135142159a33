#include "perchd/flags.h"

#include <charconv>

#include <fmt/format.h>

#include "perchd/options.h"

namespace perch::perchd {
namespace {

// As in the file: digits are a number, and what is not a number stays text.
Value value_of_word(const std::string& word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc{} && end == word.data() + word.size()) return number;
  return word;
}

class Applier {
 public:
  explicit Applier(Config config) : config_(std::move(config)) {}

  void apply(std::string_view flag, std::string_view key, const Value& value) {
    const Option* option = find_option("", key);
    auto mistake = set(config_, *option, value);
    if (!mistake) return;
    // The option's name stands in `where` already.
    mistake->what.erase(0, option->name().size() + 1);
    wrong(flag, std::move(mistake->what), std::move(mistake->expected));
  }

  void wrong(std::string_view flag, std::string what, std::string expected) {
    errors_.push_back({std::string(flag), std::move(what), std::move(expected)});
  }

  Config& config() { return config_; }

  std::expected<Config, ConfigErrors> result() && {
    if (!errors_.empty()) return std::unexpected(std::move(errors_));
    return std::move(config_);
  }

 private:
  Config config_;
  ConfigErrors errors_;
};

}  // namespace

std::expected<Config, ConfigErrors> apply(const Flags& flags, Config config) {
  Applier applier(std::move(config));
  if (flags.root) applier.apply("--root", "root", *flags.root);
  if (!flags.listen.empty()) applier.config().listen.clear();
  for (const std::string& url : flags.listen) applier.apply("--listen", "listen", url);
  if (flags.workers) applier.apply("--workers", "workers", value_of_word(*flags.workers));
  if (flags.parking) {
    const std::string& word = *flags.parking;
    if (word == "on" || word == "off") {
      applier.apply("--parking", "parking", word == "on");
    } else {
      applier.wrong("--parking", fmt::format("is {:?}", word), "expected on or off");
    }
  }
  if (flags.log_level) applier.apply("--log-level", "log_level", *flags.log_level);
  if (flags.certificate.has_value() != flags.key.has_value()) {
    applier.wrong(flags.certificate ? "--certificate" : "--key",
                  flags.certificate ? "is given without --key" : "is given without --certificate",
                  "expected both");
  } else if (flags.certificate) {
    applier.config().tls.certificates = {{.certificate = *flags.certificate,
                                          .key = *flags.key,
                                          .ocsp_response = {},
                                          .where = "--certificate"}};
  }
  return std::move(applier).result();
}

}  // namespace perch::perchd
