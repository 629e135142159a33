#include "perch/net/unique_fd.h"

#include <unistd.h>

namespace perch::net {

void UniqueFd::reset() noexcept {
  // The descriptor is gone whatever close answers: a second try could close somebody else's.
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

}  // namespace perch::net
