// How many CPUs this process may keep busy.
#pragma once

namespace perch::task {

// The CPUs of the affinity mask, or fewer when the cgroup's quota (v2 cpu.max, v1 cfs_quota_us)
// allows less, rounded up. At least 1.
unsigned usable_cpus();

}  // namespace perch::task
