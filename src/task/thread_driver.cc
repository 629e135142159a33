#include "perch/task/thread_driver.h"

namespace perch::task {

void ThreadDriver::poll(Duration timeout) {
  std::unique_lock lock(mutex_);
  auto woken = [this] { return woken_; };
  if (timeout == kForever) {
    changed_.wait(lock, woken);
  } else if (timeout > Duration::zero()) {
    changed_.wait_for(lock, timeout, woken);
  }
  woken_ = false;
}

void ThreadDriver::wake() noexcept {
  // Notified under the lock: the driver may be destroyed as soon as its worker has seen the flag.
  std::lock_guard lock(mutex_);
  woken_ = true;
  changed_.notify_one();
}

}  // namespace perch::task
