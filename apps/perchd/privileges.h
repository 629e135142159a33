// Giving up root's privileges, once the ports are bound and the keys are read.
#pragma once

#include <sys/types.h>

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "perch/base/error.h"
#include "perchd/config.h"

namespace perch::perchd {

struct Identity {
  std::string user;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;
};

// Who [process] says; nothing where it says nothing. Mistakes: an unknown user or group, a group
// without a user.
std::expected<std::optional<Identity>, ConfigError> find_identity(const Process& process);

// Becomes that user with that user's groups, for good: it is verified that there is no way back.
// Does nothing where the process is that user already. Before other threads start work. Errors:
// kPermissionDenied where the process is another user and not root; after an error the process must
// end.
Result<void> become(const Identity& identity);

}  // namespace perch::perchd
