// Size classes of the parked store: 16-byte steps up to 2 KiB, then quarters of powers of two.
//
// Whatever is larger than half an arena has the arena to itself and commits only what it touches,
// so one class serves it.
#pragma once

#include <bit>
#include <cstddef>

namespace perch::memory {

inline constexpr std::size_t kParkedArenaBytes = 65536;
inline constexpr std::size_t kParkedFineBytes = 2048;
inline constexpr std::size_t kParkedClasses = kParkedFineBytes / 16 + 4 * 4 + 1;

// REQUIRES: 0 < record_bytes <= kParkedArenaBytes.
constexpr std::size_t parked_class_of(std::size_t record_bytes) {
  const std::size_t last = record_bytes - 1;
  if (last < kParkedFineBytes) return last / 16;
  if (last >= kParkedArenaBytes / 2) return kParkedClasses - 1;
  const auto doubling = static_cast<std::size_t>(std::bit_width(last / kParkedFineBytes)) - 1;
  const std::size_t quarter = last / (kParkedFineBytes / 4 << doubling) - 4;
  return kParkedFineBytes / 16 + 4 * doubling + quarter;
}

constexpr std::size_t parked_slot_bytes(std::size_t parked_class) {
  if (parked_class < kParkedFineBytes / 16) return (parked_class + 1) * 16;
  if (parked_class == kParkedClasses - 1) return kParkedArenaBytes;
  const std::size_t coarse = parked_class - kParkedFineBytes / 16;
  return (5 + coarse % 4) * (kParkedFineBytes / 4 << coarse / 4);
}

}  // namespace perch::memory
