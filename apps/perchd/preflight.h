// What can be said about a configuration before serving: is the root there, do the addresses belong
// to this machine, how many connections do the limits allow.
#pragma once

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "perchd/config.h"

namespace perch::perchd {

// The roots of all hosts are directories that can be read.
std::optional<ConfigError> check_root(const Config& config);

// Every listen address resolves to an address of this machine, on a port that the process may use.
// Nothing is bound, so a port that is taken already is not noticed.
ConfigErrors check_listen(const Config& config);

// Raises the soft limit on open files to the hard one.
struct DescriptorLimit {
  std::size_t descriptors = 0;  // in force now
  std::size_t connections = 0;  // what is left for them
};
DescriptorLimit raise_descriptor_limit(const Config& config);

// The worker threads that `config` gives on this machine.
unsigned worker_count(const Config& config);

// Descriptors that are not connections: listeners and reactors of each worker, cached files, a few
// for the process.
std::size_t reserved_descriptors(const Config& config);

// What a check of its own finds: lines for the report, or what is wrong.
using ReportLines = std::vector<std::pair<std::string, std::string>>;  // name, value
using MoreChecks = std::function<ConfigErrors(const Config& config, ReportLines& report)>;

// The report of --check: every setting that is in force and what the machine allows.
std::expected<std::string, ConfigErrors> check(const Config& config, const MoreChecks& more = {});

// Does what needs no server: prints the help, the version, the report of --check (standard output)
// or the mistakes (standard error). Returns the exit code, or nothing if perchd is to serve.
std::optional<int> finish_early(const std::expected<Invocation, ConfigErrors>& invocation,
                                const MoreChecks& more = {});

}  // namespace perch::perchd
