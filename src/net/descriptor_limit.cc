#include "perch/net/descriptor_limit.h"

#include <sys/resource.h>

#include <cerrno>

namespace perch::net {

Result<std::uint64_t> raise_descriptor_limit() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return std::unexpected(Error::from_errno(errno, "getrlimit"));
  }
  if (limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
      return std::unexpected(Error::from_errno(errno, "setrlimit"));
    }
  }
  return limit.rlim_cur;
}

}  // namespace perch::net
