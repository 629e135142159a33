// A part of a TOML document, free of toml++ (which takes seconds to compile).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "perchd/options.h"

namespace perch::perchd {

struct TomlPosition {
  std::size_t line = 1;
  std::size_t column = 1;

  friend auto operator<=>(const TomlPosition&, const TomlPosition&) = default;
};

struct TomlNode {
  enum class Kind : std::uint8_t { kValue, kArray, kTable };

  Kind kind = Kind::kValue;
  TomlPosition at;
  Value value;                  // kValue
  std::vector<TomlNode> items;  // kArray, kTable

  // Of a member of a table.
  std::string key;
  TomlPosition key_at;
};

}  // namespace perch::perchd
