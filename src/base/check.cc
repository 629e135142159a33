#include "perch/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace perch::detail {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "perch: check failed: %s (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace perch::detail
