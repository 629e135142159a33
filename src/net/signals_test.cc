#include "perch/net/signals.h"

#include <signal.h>
#include <unistd.h>

#include <thread>

#include <gtest/gtest.h>

namespace perch::net {
namespace {

TEST(Signals, ArriveOneByOneAndNotAsInterruptions) {
  block_signals();
  EXPECT_EQ(wait_for_signal(Deadline::after(Duration::zero())), std::nullopt);
  std::thread sender([] { kill(getpid(), SIGTERM); });  // inherits the mask
  sender.join();
  EXPECT_EQ(wait_for_signal(Deadline::never()), Signal::kTerminate);
  raise(SIGHUP);
  EXPECT_EQ(wait_for_signal(Deadline::never()), Signal::kHangUp);
  raise(SIGUSR2);
  EXPECT_EQ(wait_for_signal(Deadline::never()), Signal::kUser2);
  raise(SIGPIPE);  // ignored
}

}  // namespace
}  // namespace perch::net
