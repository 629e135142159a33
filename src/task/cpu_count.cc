#include "perch/task/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

namespace perch::task {
namespace {

// Quota and period in the same unit; empty when there is no limit.
std::optional<double> read_cpu_max(const std::string& path) {
  std::ifstream file(path);
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return std::nullopt;
  try {
    return std::stod(quota) / period;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::optional<double> read_cfs_quota(const std::string& directory) {
  double quota = 0;
  double period = 0;
  if (!(std::ifstream(directory + "/cpu.cfs_quota_us") >> quota) || quota <= 0) return std::nullopt;
  if (!(std::ifstream(directory + "/cpu.cfs_period_us") >> period) || period <= 0) {
    return std::nullopt;
  }
  return quota / period;
}

// The tightest limit on the way from this process's group to the root.
std::optional<double> cgroup_cpus() {
  std::optional<double> limit;
  auto tighten = [&limit](std::optional<double> found) {
    if (found && (!limit || *found < *limit)) limit = found;
  };
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    for (std::string path = line.substr(3); !path.empty() && path != "/";
         path.erase(path.rfind('/'))) {
      tighten(read_cpu_max("/sys/fs/cgroup" + path + "/cpu.max"));
      if (path.rfind('/') == std::string::npos) break;
    }
  }
  tighten(read_cpu_max("/sys/fs/cgroup/cpu.max"));
  tighten(read_cfs_quota("/sys/fs/cgroup/cpu"));
  return limit;
}

}  // namespace

unsigned usable_cpus() {
  unsigned count = std::max(1u, std::thread::hardware_concurrency());
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    count = std::max(1, CPU_COUNT(&mask));
  }
  if (std::optional<double> quota = cgroup_cpus()) {
    const auto whole = static_cast<unsigned>(*quota);
    const unsigned allowed = whole < *quota ? whole + 1 : whole;
    count = std::clamp(allowed, 1u, count);
  }
  return count;
}

}  // namespace perch::task
