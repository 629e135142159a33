#include "perch/memory/account.h"

#include <atomic>

namespace perch::memory {
namespace {

// One line per class: workers count different classes at the same time.
struct alignas(64) Counter {
  std::atomic<std::int64_t> bytes{0};
};

constinit std::array<Counter, kMemoryClasses> counters;

Counter& counter_of(MemoryClass memory_class) {
  return counters[static_cast<std::size_t>(memory_class)];
}

}  // namespace

std::string_view to_string(MemoryClass memory_class) {
  switch (memory_class) {
    case MemoryClass::kTaskFrames:
      return "task frames";
    case MemoryClass::kBuffers:
      return "buffers";
    case MemoryClass::kConnectionTable:
      return "connection table";
    case MemoryClass::kParkedRecords:
      return "parked records";
    case MemoryClass::kFileCache:
      return "file cache";
  }
  return "unknown";
}

void account(MemoryClass memory_class, std::int64_t bytes) {
  counter_of(memory_class).bytes.fetch_add(bytes, std::memory_order_relaxed);
}

std::int64_t accounted(MemoryClass memory_class) {
  return counter_of(memory_class).bytes.load(std::memory_order_relaxed);
}

}  // namespace perch::memory
