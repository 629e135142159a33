// The static table of RFC 7541 appendix A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perch::http2 {

inline constexpr std::size_t kStaticEntries = 61;

struct StaticEntry {
  std::string_view name;
  std::string_view value;
};

// REQUIRES: 1 <= index <= kStaticEntries.
const StaticEntry& static_entry(std::size_t index);

struct StaticMatch {
  std::uint8_t index = 0;  // 0: no entry of that name. Otherwise the lowest that fits best
  bool value = false;      // the entry has the value, too
};

// `name_hash` is hpack_hash(name).
StaticMatch find_static(std::string_view name, std::uint32_t name_hash, std::string_view value);

}  // namespace perch::http2
