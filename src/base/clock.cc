#include "perch/base/clock.h"

#include <time.h>

namespace perch {

Instant Instant::now() {
  timespec time;
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return Instant(std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec);
}

}  // namespace perch
