// From perchd's settings to the server's.
#pragma once

#include "perch/server/server.h"
#include "perchd/config.h"

namespace perch::perchd {

server::ServerOptions server_options(const Config& config);

}  // namespace perch::perchd
