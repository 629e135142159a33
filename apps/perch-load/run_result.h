// What a run found out, and how it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "perch-load/process_memory.h"
#include "perch-load/run_options.h"
#include "perch/base/clock.h"

namespace perch::load {

struct MemorySample {
  std::string when;  // "before", "idle", "probed", "closed"
  std::size_t connections = 0;
  std::optional<ProcessMemory> memory;  // nothing: the process is gone
};

struct RunResult {
  using Counts = std::map<std::string, std::size_t>;

  std::size_t opened = 0;  // connections whose first GET was answered
  std::size_t held = 0;    // of these, still there at the end
  Duration opening_time{};
  Counts protocols;                               // "HTTP/2 in cleartext"
  Counts not_opened;                              // by reason
  Counts lost;                                    // by reason: "GOAWAY NO_ERROR", "without GOAWAY"
  std::map<std::uint16_t, std::size_t> statuses;  // of the first answers
  std::size_t probes = 0;
  std::size_t probes_answered = 0;
  Counts wrong_answers;             // by what was wrong
  std::vector<Duration> latencies;  // of the good probes
  std::vector<MemorySample> memory;
  bool interrupted = false;

  bool good() const;
};

std::size_t total(const RunResult::Counts& counts);

// The smallest of `sorted` that at least `fraction` of them do not exceed; zero if there is none.
Duration percentile(const std::vector<Duration>& sorted, double fraction);

std::string report_text(const RunOptions& options, const RunResult& result);
std::string report_json(const RunOptions& options, const RunResult& result);  // one object

}  // namespace perch::load
