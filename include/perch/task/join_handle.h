// JoinHandle<T>: what the spawner of a task holds. One word.
//
// Ownership: the task's frame belongs to the handle and to the execution together; the last of them
// to go destroys it. Dropping the handle of a task that has not ended requests cancellation (reason
// kDropped) and returns at once; the task's own worker unwinds it. A task that has not started by
// then never runs. The task's parameters and result die with the frame, on whichever thread that
// is.
//
// Thread-safety: one thread at a time, any thread, except that `on_done`, and dropping or detaching
// a handle with a listener, belong on the task's home worker.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/task/cancel.h"
#include "perch/task/task.h"
#include "perch/task/wait.h"

namespace perch::task {

// Called once on the task's home worker when the task ends, within its last resume: it may take the
// result (catching what that throws) and drop the handle, and should not do long work.
struct CompletionListener {
  virtual void on_task_done() noexcept = 0;

 protected:
  ~CompletionListener() = default;
};

namespace detail {

class JoinHandleBase {
 public:
  JoinHandleBase(JoinHandleBase&& other) noexcept : task_(std::exchange(other.task_, nullptr)) {}

  bool valid() const { return task_ != nullptr; }
  // Whether the task has ended. REQUIRES: valid (as for all that follow).
  bool done() const { return task_->is_done(); }
  // Asks the task to stop. Nothing happens if it has ended or was asked before.
  void cancel(CancelReason reason) noexcept;
  // Lets the task run on without a handle; its result is lost. The handle becomes invalid.
  void detach() noexcept;
  // REQUIRES: not done; no other listener or joiner. `listener` must live until it is called, or
  // the handle is dropped or detached.
  void on_done(CompletionListener* listener) noexcept;

 protected:
  explicit JoinHandleBase(TaskHeader* task) : task_(task) {}
  ~JoinHandleBase() {
    if (task_ != nullptr) drop(*task_);
  }
  void replace(JoinHandleBase& other) noexcept {
    TaskHeader* old = std::exchange(task_, std::exchange(other.task_, nullptr));
    if (old != nullptr) drop(*old);
  }

  static void drop(TaskHeader& task) noexcept;

  TaskHeader* task_;
};

// The registration of the running task at a task that it joins.
class JoinRegistration {
 public:
  explicit JoinRegistration(TaskHeader& target) : target_(target) {}

  // Registers and begins to wait. False when there is nothing to wait for.
  bool suspend(std::coroutine_handle<> leaf);
  // Takes the registration back. Empty when the target is done, else why the wait ended.
  WaitResult finish();

 protected:
  TaskHeader& target_;

 private:
  void unregister();
};

template <class T>
Promise<T>& promise_of(TaskHeader& task) {
  return static_cast<Promise<T>&>(task);
}
// Throws TaskCancelled when the task never ran, and what it threw when it failed.
void check_ended_with_value(TaskHeader& task);
bool never_ran(TaskHeader& task);

template <class T>
class JoinAwaiter : public JoinRegistration {
 public:
  using JoinRegistration::JoinRegistration;

  bool await_ready() const { return target_.is_done(); }
  bool await_suspend(std::coroutine_handle<> leaf) { return suspend(leaf); }
  Result<T> await_resume() {
    if (WaitResult ended = finish(); !ended) return std::unexpected(ended.error());
    if (never_ran(target_)) return std::unexpected(Error::cancelled());
    check_ended_with_value(target_);
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return promise_of<T>(target_).take_value();
    }
  }
};

template <class T>
class DeadlineJoinAwaiter : public JoinAwaiter<T> {
 public:
  DeadlineJoinAwaiter(TaskHeader& target, Deadline deadline)
      : JoinAwaiter<T>(target), deadline_(deadline) {}

  bool await_suspend(std::coroutine_handle<> leaf) {
    if (!this->suspend(leaf)) return false;
    timer_.start(deadline_);
    return true;
  }
  Result<T> await_resume() {
    timer_.disarm();
    return JoinAwaiter<T>::await_resume();
  }

 private:
  Deadline deadline_;
  WaitTimer timer_;
};

}  // namespace detail

template <class T = void>
class [[nodiscard]] JoinHandle : public detail::JoinHandleBase {
 public:
  JoinHandle() : JoinHandleBase(nullptr) {}
  explicit JoinHandle(detail::Promise<T>& promise) : JoinHandleBase(&promise) {}
  JoinHandle(JoinHandle&&) noexcept = default;
  JoinHandle& operator=(JoinHandle&& other) noexcept {
    if (this != &other) replace(other);
    return *this;
  }

  // The result. Throws what the task threw, or TaskCancelled when it never ran. Once for a value
  // that is moved out. REQUIRES: done.
  T take() {
    PERCH_CHECK(done());
    detail::check_ended_with_value(*task_);
    return detail::promise_of<T>(*task_).take_value();
  }

  // Waits for the end of the task: Result<T>, with kCancelled when the waiting task is cancelled or
  // the task never ran, kTimedOut when the deadline passes first. Throws what the task threw. After
  // an error the handle is as before. REQUIRES: no other listener or joiner; the handle stays where
  // it is meanwhile. A task that has ended is answered even to a cancelled waiter.
  detail::JoinAwaiter<T> join() { return detail::JoinAwaiter<T>(*task_); }
  detail::DeadlineJoinAwaiter<T> join(Deadline deadline) {
    return detail::DeadlineJoinAwaiter<T>(*task_, deadline);
  }
};

}  // namespace perch::task
