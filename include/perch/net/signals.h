// Signals as events of the main thread, instead of handlers that may do nothing.
#pragma once

#include <optional>

#include "perch/base/clock.h"

namespace perch::net {

enum class Signal { kInterrupt, kTerminate, kHangUp, kUser1, kUser2 };

// Blocks SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 in this thread and in those that it creates
// from now on, and ignores SIGPIPE. Called by main before it starts any thread.
void block_signals();

// Waits for one of them. Empty when the deadline passes. REQUIRES: block_signals was called.
std::optional<Signal> wait_for_signal(Deadline deadline);

}  // namespace perch::net
