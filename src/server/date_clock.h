// The Date field's value for the current second, formatted once per second.
//
// Thread-safety: none; one per worker.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/http/date.h"

namespace perch::server {

class DateClock {
 public:
  // Brings the value up to date; cheap within a second.
  void update(Instant now) {
    if (now < valid_until_) return;
    const auto wall = std::chrono::system_clock::now().time_since_epoch();
    const auto second = std::chrono::floor<std::chrono::seconds>(wall);
    valid_until_ = now + (std::chrono::nanoseconds(second + std::chrono::seconds(1)) -
                          std::chrono::nanoseconds(wall));
    if (second.count() == unix_seconds_) return;
    unix_seconds_ = second.count();
    text_ = http::format_date(unix_seconds_);
    ++epoch_;
  }

  std::string_view text() const { return {text_.data(), text_.size()}; }
  std::uint32_t epoch() const { return epoch_; }  // changes with the text

 private:
  std::array<char, 29> text_{};
  std::int64_t unix_seconds_ = -1;
  Instant valid_until_;
  std::uint32_t epoch_ = 0;
};

}  // namespace perch::server
