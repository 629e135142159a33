// The command line, as words: nothing is opened and no value is checked yet.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "perchd/config.h"

namespace perch::perchd {

struct Flags {
  std::optional<std::string> print;  // what --help or --version says
  bool check = false;
  std::optional<std::string> config_file, root, workers, parking, log_level, certificate, key;
  std::vector<std::string> listen;
};

std::expected<Flags, ConfigErrors> parse_flags(int argc, const char* const* argv);

// Sets what the flags name on top of `config`.
std::expected<Config, ConfigErrors> apply(const Flags& flags, Config config);

}  // namespace perch::perchd
