// Tells a flow-control window that is closed for good from one that a slow client opens now and
// then.
//
// What is written earns the client time at `minimum_rate`, up to a bound: clients open a window
// again when they have used half of it, and that may be a while. The time that the window is closed
// for is charged, a period at a time, and a client that cannot pay has stalled.
#pragma once

#include <algorithm>
#include <cstdint>

#include "perch/base/clock.h"

namespace perch::http2 {

class StallMeter {
 public:
  void wrote(std::uint32_t bytes) { credit_ = std::min(credit_ + bytes, kMostCredit); }

  // A look at the window, now and then. True: closed at each look for a whole period, and unpaid.
  // With a rate of 0 any byte pays for a period.
  [[nodiscard]] bool stalled(bool closed, Instant now, Duration period,
                             std::uint32_t minimum_rate) {
    const auto now_ms = static_cast<std::uint32_t>(now.milliseconds());
    if (!closed || !closed_) {
      closed_ = closed;
      since_ms_ = now_ms;
      return false;
    }
    const std::uint64_t elapsed_ms = now_ms - since_ms_;
    if (elapsed_ms < static_cast<std::uint64_t>(period.count() / 1'000'000)) return false;
    const std::uint64_t price =
        minimum_rate == 0 ? std::max<std::uint64_t>(credit_, 1) : elapsed_ms * minimum_rate / 1'000;
    if (credit_ < price) return true;
    credit_ -= static_cast<std::uint32_t>(price);
    since_ms_ = now_ms;
    return false;
  }

 private:
  static constexpr std::uint32_t kMostCredit = 1 << 20;

  std::uint32_t since_ms_ = 0;  // of the monotonic clock, modulo 2^32
  std::uint32_t credit_ = 0;    // bytes
  bool closed_ = false;         // at the last look
};

}  // namespace perch::http2
