#include "perch/net/signals.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "perch/base/check.h"

namespace perch::net {
namespace {

sigset_t awaited_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&set, number);
  return set;
}

}  // namespace

void block_signals() {
  const sigset_t set = awaited_signals();
  PERCH_CHECK(pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  ::signal(SIGPIPE, SIG_IGN);
}

std::optional<Signal> wait_for_signal(Deadline deadline) {
  const sigset_t set = awaited_signals();
  for (;;) {
    int number;
    if (deadline.is_never()) {
      number = sigwaitinfo(&set, nullptr);
    } else {
      const Duration left = std::max(deadline.when() - Instant::now(), Duration::zero());
      const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
      const timespec limit{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
      number = sigtimedwait(&set, nullptr, &limit);
    }
    switch (number) {
      case SIGINT:
        return Signal::kInterrupt;
      case SIGTERM:
        return Signal::kTerminate;
      case SIGHUP:
        return Signal::kHangUp;
      case SIGUSR1:
        return Signal::kUser1;
      case SIGUSR2:
        return Signal::kUser2;
      default:
        if (errno == EAGAIN) return std::nullopt;
        PERCH_CHECK(errno == EINTR);  // some other signal had a handler
    }
  }
}

}  // namespace perch::net
