// Task<T>: a lazy coroutine that produces a T (void, or any movable type), or an exception.
//
//   Task<int> answer() { co_return 42; }
//   Task<> ask() { int a = co_await answer(); ... }
//
// Nothing runs until the task is awaited or spawned (spawn.h). Awaiting it runs it on the spot, by
// symmetric transfer, as part of the awaiting task; its frame is freed at the end of the full
// expression. Frames come from the slab heap (memory/slab.h).
//
// Ownership: a Task owns its frame until it is awaited to the end or spawned. Parameters taken by
// value are part of the frame; references are borrowed for as long as the task runs (see
// docs/coroutines.md).
// Thread-safety: none; a Task may be handed to another thread before it starts.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "perch/memory/slab.h"
#include "perch/task/task_header.h"

namespace perch::task {

template <class T = void>
class Task;

namespace detail {

// Ends a spawned task, which has reached its final suspension. May free the frame.
void finish(TaskHeader& task) noexcept;

struct FinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> handle) const noexcept {
    TaskHeader& task = handle.promise();
    if (state::phase(task.load(std::memory_order_relaxed)) == state::kChild) {
      return std::coroutine_handle<>::from_address(task.next());
    }
    finish(task);
    return std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

class PromiseBase : public TaskHeader {
 public:
  static void* operator new(std::size_t size) { return memory::allocate(size); }
  static void operator delete(void* frame, std::size_t size) noexcept {
    memory::deallocate(frame, size);
  }

  std::suspend_always initial_suspend() const noexcept { return {}; }
  FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { keep_exception(); }
};

template <class T>
class Promise final : public PromiseBase {
 public:
  Task<T> get_return_object() noexcept;
  template <class U>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  // REQUIRES: has ended with a value.
  T take_value() { return std::move(*value_); }

 private:
  std::optional<T> value_;
};

template <>
class Promise<void> final : public PromiseBase {
 public:
  Task<void> get_return_object() noexcept;
  void return_void() const noexcept {}
  void take_value() const noexcept {}
};

static_assert(sizeof(Promise<void>) <= 48);

}  // namespace detail

template <class T>
class [[nodiscard]] Task {
  static_assert(!std::is_reference_v<T>, "return a pointer or a std::reference_wrapper");

 public:
  using promise_type = detail::Promise<T>;
  using value_type = T;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  Task(Task&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (frame_) frame_.destroy();
      frame_ = std::exchange(other.frame_, nullptr);
    }
    return *this;
  }
  ~Task() {
    if (frame_) frame_.destroy();
  }

  bool valid() const { return frame_ != nullptr; }

  class Awaiter {
   public:
    explicit Awaiter(Handle child) : child_(child) {}
    bool await_ready() const noexcept { return false; }
    Handle await_suspend(std::coroutine_handle<> parent) const noexcept {
      child_.promise().set_next(parent.address());
      return child_;
    }
    T await_resume() const {
      promise_type& promise = child_.promise();
      if (promise.has_failed()) std::rethrow_exception(promise.exception());
      return promise.take_value();
    }

   private:
    Handle child_;
  };

  // REQUIRES: valid, and not awaited before. The Task lives until the await ends.
  Awaiter operator co_await() && { return Awaiter(frame_); }

  // Gives the frame away: to spawn.
  Handle release() { return std::exchange(frame_, nullptr); }

 private:
  friend promise_type;
  explicit Task(Handle frame) : frame_(frame) {}

  Handle frame_;
};

namespace detail {

template <class T>
Task<T> Promise<T>::get_return_object() noexcept {
  static_assert(alignof(Promise<T>) <= 16, "TaskHeader::frame relies on it");
  return Task<T>(Task<T>::Handle::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(Task<void>::Handle::from_promise(*this));
}

}  // namespace detail
}  // namespace perch::task
