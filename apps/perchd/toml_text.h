// A look at a TOML document before it is parsed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
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

// The text with a letter in place of each character outside of ASCII: the same lines and columns.
//
// toml++ 3.3 runs into undefined behaviour at such a character when it stands where no token may
// begin, which a mistake earlier in the line can make of any place. If the stand-in reads well, all
// of them are inside strings and comments, and the text itself may be read.
std::string ascii_stand_in(std::string_view text);

}  // namespace perch::perchd
