// Lines of text that grows at its end, as far as they are complete. Only CRLF ends a line; a LF
// without CR, which RFC 9112 section 2.2 lets some recipients take for a line end, is an error,
// because two recipients that disagree about it see different requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perch::http1 {

class LineScanner {
 public:
  enum class Found : std::uint8_t { kMore, kLine, kBareLineFeed };

  // The next line, without its CRLF. `text` is what it was, with more behind it or less: never less
  // than what was returned as lines. Each byte is looked at once.
  Found next(std::string_view text, std::string_view& line);
  // Where the line begins that comes next.
  std::size_t line_start() const { return line_start_; }

 private:
  std::uint32_t line_start_ = 0;
  std::uint32_t searched_ = 0;  // there is no LF from line_start_ up to here
};

}  // namespace perch::http1
