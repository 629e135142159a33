// WaitResult: how a wait ended, in one byte. What awaiting an event or a sleep returns.
//
// Converts to Result<void>, and reads like one. It exists because compilers keep a temporary
// Result<void> in the coroutine's frame, 48 bytes for each waiting task, where this stays in a
// register.
#pragma once

#include <cstdint>

#include "perch/base/error.h"
#include "perch/task/task_state.h"

namespace perch::task {

enum class WaitOutcome : std::uint8_t {
  kValue = state::kOutcomeValue,
  kCancelled = state::kOutcomeCancelled,
  kTimedOut = state::kOutcomeTimedOut,
};

class WaitResult {
 public:
  constexpr WaitResult() = default;
  constexpr explicit WaitResult(WaitOutcome outcome) : outcome_(outcome) {}

  constexpr WaitOutcome outcome() const { return outcome_; }
  constexpr bool has_value() const { return outcome_ == WaitOutcome::kValue; }
  constexpr explicit operator bool() const { return has_value(); }
  // kCancelled or kTimedOut. REQUIRES: !has_value().
  Error error() const {
    return outcome_ == WaitOutcome::kTimedOut ? Error::timed_out() : Error::cancelled();
  }
  operator Result<void>() const {  // implicit: it is meant to be used as one
    if (has_value()) return {};
    return std::unexpected(error());
  }

 private:
  WaitOutcome outcome_ = WaitOutcome::kValue;
};

}  // namespace perch::task
