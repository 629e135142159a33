// Time points of the monotonic clock, and deadlines for waits.
//
// An Instant is nanoseconds of CLOCK_MONOTONIC. Protocol engines take it as an argument and never
// read the clock themselves. Reading the clock costs about 25 ns, so event loops read it once per
// turn and pass it on.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>

namespace perch {

using Duration = std::chrono::nanoseconds;

class Instant {
 public:
  constexpr Instant() = default;
  constexpr explicit Instant(std::int64_t nanoseconds) : ns_(nanoseconds) {}

  static Instant now();

  constexpr std::int64_t nanoseconds() const { return ns_; }
  constexpr std::int64_t milliseconds() const { return ns_ / 1'000'000; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Instant operator+(Instant at, Duration d) { return Instant(at.ns_ + d.count()); }
  friend constexpr Instant operator-(Instant at, Duration d) { return Instant(at.ns_ - d.count()); }
  friend constexpr Duration operator-(Instant a, Instant b) { return Duration(a.ns_ - b.ns_); }

 private:
  std::int64_t ns_ = 0;
};

// When a wait gives up. Every wait takes one; `Deadline::never()` is spelled out where it is meant.
class Deadline {
 public:
  static constexpr Deadline never() { return Deadline(Instant(INT64_MAX)); }
  static constexpr Deadline at(Instant when) { return Deadline(when); }
  static Deadline after(Duration d) { return Deadline(Instant::now() + d); }

  constexpr bool is_never() const { return when_.nanoseconds() == INT64_MAX; }
  constexpr Instant when() const { return when_; }
  constexpr bool passed(Instant now) const { return now >= when_; }

  friend constexpr auto operator<=>(Deadline, Deadline) = default;

 private:
  constexpr explicit Deadline(Instant when) : when_(when) {}
  Instant when_;
};

}  // namespace perch
