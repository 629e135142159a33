// The limit on open descriptors, which bounds the number of connections.
#pragma once

#include <cstdint>

#include "perch/base/error.h"

namespace perch::net {

// Raises the soft limit of this process to the hard one and returns it. Errors: kSystem.
Result<std::uint64_t> raise_descriptor_limit();

}  // namespace perch::net
