#include "perch/http/path_pattern.h"

#include <cstddef>

namespace perch::http {

bool is_path_pattern(std::string_view pattern) {
  return pattern.starts_with('/') || pattern.starts_with('*');
}

bool path_matches(std::string_view pattern, std::string_view path) {
  std::size_t at = 0;     // in the pattern
  std::size_t taken = 0;  // of the path
  // Behind the last star, and what it took: where it fails to fit, the star takes one more. Earlier
  // stars need not be tried again, since the last one can take whatever they could.
  std::size_t star = std::string_view::npos;
  std::size_t star_end = 0;
  while (taken < path.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = ++at;
      star_end = taken;
    } else if (at < pattern.size() && pattern[at] == path[taken]) {
      ++at;
      ++taken;
    } else if (star != std::string_view::npos) {
      at = star;
      taken = ++star_end;
    } else {
      return false;
    }
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace perch::http
