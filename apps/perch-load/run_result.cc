#include "perch-load/run_result.h"

#include <algorithm>
#include <cmath>

namespace perch::load {

std::size_t total(const RunResult::Counts& counts) {
  std::size_t sum = 0;
  for (const auto& [reason, count] : counts) sum += count;
  return sum;
}

bool RunResult::good() const {
  return not_opened.empty() && lost.empty() && wrong_answers.empty() && !interrupted && opened > 0;
}

Duration percentile(const std::vector<Duration>& sorted, double fraction) {
  if (sorted.empty()) return {};
  const auto rank =
      static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(sorted.size())));
  return sorted[std::clamp<std::size_t>(rank, 1, sorted.size()) - 1];
}

}  // namespace perch::load
