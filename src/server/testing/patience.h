// Waiting for an outcome: as long as it takes, but not for ever. Nothing is concluded from how
// long it took.
#pragma once

#include <chrono>
#include <thread>

namespace perch::server::testing {

// Beyond this a test fails; far more than any outcome takes, sanitizers and a busy machine
// included.
inline constexpr std::chrono::seconds kPatience{30};

// Polls until `condition()` holds; false when patience runs out.
template <class Condition>
bool eventually(Condition&& condition) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= give_up) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return true;
}

}  // namespace perch::server::testing
