// What a process holds in memory, as /proc says.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

namespace perch::load {

struct ProcessMemory {
  std::uint64_t resident = 0;            // VmRSS, in bytes
  std::uint64_t swapped = 0;             // VmSwap
  std::uint64_t resident_anonymous = 0;  // RssAnon

  std::uint64_t total() const { return resident + swapped; }
  // Only anonymous pages are swapped out.
  std::uint64_t anonymous() const { return resident_anonymous + swapped; }
  friend bool operator==(const ProcessMemory&, const ProcessMemory&) = default;
};

// The text of /proc/PID/status. Nothing, if a line is missing (a kernel thread, a dead process).
std::optional<ProcessMemory> parse_process_status(std::string_view text);

std::optional<ProcessMemory> read_process_memory(pid_t pid);

}  // namespace perch::load
