#include "perchd/config.h"

namespace perch::perchd {

std::string to_string(const ConfigError& error) {
  std::string text = error.where + ": " + error.what;
  if (!error.expected.empty()) text += "; " + error.expected;
  return text;
}

}  // namespace perch::perchd
