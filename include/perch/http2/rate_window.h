// Counts events against a limit per window of time. Eight bytes, so that a parked connection can
// keep it: a pause must not launder an attacker's budget.
#pragma once

#include <cstdint>

#include "perch/base/clock.h"

namespace perch::http2 {

class RateWindow {
 public:
  RateWindow() = default;
  RateWindow(std::uint32_t started_ms, std::uint32_t count)
      : started_ms_(started_ms), count_(count) {}

  // Adds one; false once more than `limit` fell into the running window. The window restarts with
  // the first event after it has passed.
  [[nodiscard]] bool add(Instant now, std::uint32_t limit, Duration window) {
    const auto now_ms = static_cast<std::uint32_t>(now.milliseconds());
    if (count_ == 0 || now_ms - started_ms_ >= window.count() / 1'000'000) {
      started_ms_ = now_ms;
      count_ = 0;
    }
    return ++count_ <= limit;
  }

  // Nothing to remember any more.
  bool decayed(Instant now, Duration window) const {
    const auto now_ms = static_cast<std::uint32_t>(now.milliseconds());
    return count_ == 0 || now_ms - started_ms_ >= window.count() / 1'000'000;
  }

  std::uint32_t started_ms() const { return started_ms_; }  // of the monotonic clock, modulo 2^32
  std::uint32_t count() const { return count_; }

 private:
  std::uint32_t started_ms_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace perch::http2
