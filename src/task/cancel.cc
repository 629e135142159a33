#include "perch/task/cancel.h"

#include "perch/task/worker.h"

namespace perch::task {

std::string_view to_string(CancelReason reason) {
  switch (reason) {
    case CancelReason::kRequested:
      return "requested";
    case CancelReason::kDropped:
      return "dropped";
    case CancelReason::kStreamReset:
      return "stream reset";
    case CancelReason::kConnectionLost:
      return "connection lost";
    case CancelReason::kDeadline:
      return "deadline";
    case CancelReason::kShutdown:
      return "shutdown";
  }
  return "unknown";
}

std::optional<CancelReason> current_cancel_reason() noexcept {
  Worker* worker = Worker::current();
  if (worker == nullptr || worker->current_task() == nullptr) return std::nullopt;
  state::Word word = worker->current_task()->load(std::memory_order_relaxed);
  if ((word & state::kCancelled) == 0) return std::nullopt;
  return static_cast<CancelReason>((word & state::kReasonMask) >> state::kReasonShift);
}

}  // namespace perch::task
