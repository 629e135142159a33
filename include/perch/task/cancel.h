// Cancellation: a request with a reason, which the task's own waits answer.
//
// Cancelling sets a bit in the task's state word and wakes the task; no user code runs on the
// canceller's thread. From then on every wait of the task answers ErrorCode::kCancelled at once, so
// that the task unwinds by returning. The first reason stays.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string_view>

namespace perch::task {

// At most eight: the state word keeps three bits.
enum class CancelReason : std::uint8_t {
  kRequested,       // somebody called cancel()
  kDropped,         // the JoinHandle went away
  kStreamReset,     // the peer gave the request up
  kConnectionLost,  // the connection that the task serves has ended
  kDeadline,        // the time allowed for the whole task has passed
  kShutdown,        // the runtime is stopping
};

std::string_view to_string(CancelReason reason);

// Why the running task was asked to stop; empty when it was not, or when no task is running.
std::optional<CancelReason> current_cancel_reason() noexcept;

// Thrown by JoinHandle::take() when the task was cancelled before it first ran, so that it has
// neither a value nor an exception. (join() answers ErrorCode::kCancelled instead.)
class TaskCancelled : public std::exception {
 public:
  explicit TaskCancelled(CancelReason reason) noexcept : reason_(reason) {}
  CancelReason reason() const noexcept { return reason_; }
  const char* what() const noexcept override { return "task cancelled before it started"; }

 private:
  CancelReason reason_;
};

}  // namespace perch::task
