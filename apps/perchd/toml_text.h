// A look at a TOML document before it is parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace perch::perchd {

struct StrayCharacter {
  std::size_t line = 1;
  std::size_t column = 1;  // counted in characters, as toml++ does
  std::string_view what;   // static text
};

// The first character that may not stand where it does: a zero byte anywhere, or one outside of
// ASCII that is neither in a string nor in a comment (bare keys are ASCII in TOML 1.0). toml++ 3.3
// has undefined behaviour for some of the latter.
std::optional<StrayCharacter> first_stray_character(std::string_view text);

}  // namespace perch::perchd
