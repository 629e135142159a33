// What the command line asks for, and what a run of `perch-load idle` is asked to do.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>

#include "perch-load/attack_run.h"
#include "perch-load/request_blocks.h"
#include "perch-load/target_url.h"
#include "perch/base/clock.h"
#include "perch/tls/server_context.h"

namespace perch::load {

struct RunOptions {
  std::string url_text;
  TargetUrl url;
  std::size_t connections = 0;
  Duration hold = std::chrono::seconds(10);
  double probe = 1.0;  // the fraction of the connections that are probed
  std::optional<pid_t> pid;
  std::size_t concurrency = 256;       // connections that open at a time
  std::size_t probe_concurrency = 16;  // probes without an answer at a time
  Duration timeout = std::chrono::seconds(10);
  Duration settle = std::chrono::seconds(1);  // before the memory is read
  std::uint64_t seed = 1;
  FieldSet fields = FieldSet::kBare;
  bool http1 = false;  // HTTP/1.1; otherwise HTTP/2, or what ALPN says
  tls::Version tls_max = tls::Version::kTls13;
  bool insecure = false;  // the certificate is not looked at; implied for loopback addresses
  std::string ca_file;    // against these CAs, loopback or not; empty: the system's
  bool json = false;
};

// What the command line asks for. With `print`, nothing is run.
struct CommandLine {
  RunOptions options;
  std::optional<AttackOptions> attack;  // instead
  std::optional<std::string> print;     // the help or the version
};

// The error is one or more lines for standard error.
std::expected<CommandLine, std::string> parse_command_line(int argc, const char* const* argv);

}  // namespace perch::load
