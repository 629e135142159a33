#include "perch/http1/line_scanner.h"

#include <cstring>

namespace perch::http1 {

LineScanner::Found LineScanner::next(std::string_view text, std::string_view& line) {
  if (searched_ >= text.size()) return Found::kMore;
  const void* found = std::memchr(text.data() + searched_, '\n', text.size() - searched_);
  if (found == nullptr) {
    searched_ = static_cast<std::uint32_t>(text.size());
    return Found::kMore;
  }
  const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
  if (at == line_start_ || text[at - 1] != '\r') return Found::kBareLineFeed;
  line = text.substr(line_start_, at - 1 - line_start_);
  line_start_ = searched_ = static_cast<std::uint32_t>(at + 1);
  return Found::kLine;
}

}  // namespace perch::http1
