#include "perch/task/join_handle.h"

#include "task_lifecycle.h"

namespace perch::task::detail {
namespace {

// Takes a registration back. False when the task has ended first.
bool clear_unless_done(TaskHeader& task, state::Word bits) noexcept {
  state::Word seen = task.load(std::memory_order_acquire);
  do {
    if (state::phase(seen) == state::kDone) return false;
  } while (!task.state().compare_exchange_weak(seen, seen & ~bits, std::memory_order_acq_rel,
                                               std::memory_order_acquire));
  return true;
}

void forget_listener(TaskHeader& task) noexcept {
  state::Word word = task.load(std::memory_order_relaxed);
  if ((word & state::kListener) == 0 || state::phase(word) == state::kDone) return;
  PERCH_DCHECK(is_home(word));
  clear_unless_done(task, state::kListener);
}

}  // namespace

void JoinHandleBase::cancel(CancelReason reason) noexcept {
  request_cancel(*task_, reason, /*consume_reference=*/false);
}

void JoinHandleBase::detach() noexcept {
  TaskHeader* task = std::exchange(task_, nullptr);
  forget_listener(*task);
  drop_reference(*task);
}

void JoinHandleBase::on_done(CompletionListener* listener) noexcept {
  state::Word seen = task_->load(std::memory_order_relaxed);
  PERCH_CHECK(is_home(seen));
  PERCH_CHECK(state::phase(seen) != state::kDone);
  PERCH_CHECK((seen & (state::kJoiner | state::kListener)) == 0);
  task_->set_next(listener);
  task_->state().fetch_or(state::kListener, std::memory_order_release);
}

void JoinHandleBase::drop(TaskHeader& task) noexcept {
  forget_listener(task);
  request_cancel(task, CancelReason::kDropped, /*consume_reference=*/true);
}

bool JoinRegistration::suspend(std::coroutine_handle<> leaf) {
  TaskHeader& self = running_task();
  PERCH_CHECK(&self != &target_);
  state::Word seen = target_.load(std::memory_order_acquire);
  if (state::phase(seen) == state::kDone) return false;
  PERCH_CHECK((seen & (state::kJoiner | state::kListener)) == 0);
  // Nobody reads it before the bit is set, and of this thread's own tasks only one may set it.
  target_.set_next(&self);
  const state::Word home_bits = state::Word{Worker::current()->id()} << state::kJoinerHomeShift;
  do {
    if (state::phase(seen) == state::kDone) return false;
  } while (!target_.state().compare_exchange_weak(
      seen, (seen & ~state::kJoinerHomeMask) | state::kJoiner | home_bits,
      std::memory_order_acq_rel, std::memory_order_acquire));
  begin_wait(leaf);
  return true;
}

WaitResult JoinRegistration::finish() {
  const WaitResult outcome = end_wait();
  // A target that has ended by now counts, whatever ended the wait.
  unregister();
  if (target_.is_done()) return {};
  return outcome;
}

void JoinRegistration::unregister() {
  state::Word seen = target_.load(std::memory_order_acquire);
  if ((seen & state::kJoiner) == 0) return;
  if (clear_unless_done(target_, state::kJoiner)) return;
  // It has ended. If its message is still under way, the message finds nobody to wake: this thread
  // is the one that will read it.
  target_.set_next(nullptr);
}

void check_ended_with_value(TaskHeader& task) {
  if (never_ran(task)) {
    throw TaskCancelled(static_cast<CancelReason>(
        (task.load(std::memory_order_relaxed) & state::kReasonMask) >> state::kReasonShift));
  }
  if (task.has_failed()) std::rethrow_exception(task.exception());
}

bool never_ran(TaskHeader& task) {
  return (task.load(std::memory_order_relaxed) & state::kOutcomeMask) == state::kOutcomeCancelled;
}

}  // namespace perch::task::detail
