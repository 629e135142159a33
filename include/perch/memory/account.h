// Where long-lived memory goes: live bytes by class.
//
// Thread-safety: all functions may be called from any thread; counters are relaxed atomics and a
// report is not a consistent cut.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace perch::memory {

enum class MemoryClass : std::uint8_t {
  kTaskFrames,       // slab chunks: task frames, streams, inflaters, sessions
  kBuffers,          // pooled I/O buffers
  kConnectionTable,  // hot slots
  kParkedRecords,    // cold records
  kFileCache,        // bodies and heads of the open-file cache
};
inline constexpr std::size_t kMemoryClasses = 5;

std::string_view to_string(MemoryClass memory_class);

// Adds `bytes` (negative when memory goes back to the system) to the class.
void account(MemoryClass memory_class, std::int64_t bytes);

// Live bytes of one class. In use and cached are not told apart here: this is what the class has
// taken from the system.
std::int64_t accounted(MemoryClass memory_class);

}  // namespace perch::memory
