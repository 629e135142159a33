// The error log and the access log. Both are written by threads of their own, behind bounded
// queues: when one is full its oldest lines give way to new ones, and are counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/error.h"
#include "perch/server/access_record.h"
#include "perch/server/server.h"
#include "perchd/config.h"

namespace perch::perchd {

// Thread-safety: `write` and what `access_log` gives, any thread; the rest, the main thread.
class Logs {
 public:
  Logs();
  ~Logs();  // writes what is queued
  Logs(const Logs&) = delete;
  Logs& operator=(const Logs&) = delete;

  // Opens the files that `config` names. Until then, lines go to standard error.
  Result<void> open(const Config& config);
  // Opens them again, by the names in `config`: a file that was renamed stays as it is from now on.
  // What cannot be opened goes on to the old file; the answer says why.
  std::vector<std::string> reopen(const Config& config);

  void write(server::LogLevel level, std::string_view line);
  // Null where the access log is off. It uses this object.
  server::AccessLog access_log();

  // Lines of the access log that were not written, since the start; a warning is logged now and
  // then while it grows.
  std::uint64_t lines_dropped() const;

 private:
  struct Stream;
  void note_drops();

  std::unique_ptr<Stream> errors_;
  std::unique_ptr<Stream> access_;  // null: off
  std::atomic<AccessFormat> access_format_{AccessFormat::kCombined};
};

}  // namespace perch::perchd
