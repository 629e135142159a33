// Waiting for a task on a thread that is no worker. Internal to Runtime::block_on.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "perch/task/cancel.h"
#include "perch/task/spawn.h"
#include "perch/task/task.h"

namespace perch::task::detail {

// Shared by the waiting thread and the task, so that neither outlives it.
class BlockOnState {
 public:
  void wait() {
    std::unique_lock lock(mutex_);
    ended_changed_.wait(lock, [this] { return ended_; });
  }
  void end() noexcept {
    std::lock_guard lock(mutex_);
    ended_ = true;
    ended_changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;  // guarded by mutex_
};

template <class T>
struct BlockOnResult : BlockOnState {
  using Stored = std::conditional_t<std::is_void_v<T>, char, T>;
  std::optional<Stored> value;
  std::exception_ptr exception;
};

// Part of the task's frame: tells the waiting thread of its end, however it ends.
template <class T>
class BlockOnTicket {
 public:
  explicit BlockOnTicket(std::shared_ptr<BlockOnResult<T>> result) : result_(std::move(result)) {}
  BlockOnTicket(BlockOnTicket&&) noexcept = default;
  BlockOnTicket& operator=(BlockOnTicket&&) = delete;
  ~BlockOnTicket() {
    if (result_) result_->end();
  }
  BlockOnResult<T>& result() { return *result_; }

 private:
  std::shared_ptr<BlockOnResult<T>> result_;
};

template <class T>
Task<> run_for_block_on(Task<T> task, BlockOnTicket<T> ticket) {
  BlockOnResult<T>& result = ticket.result();
  try {
    if constexpr (std::is_void_v<T>) {
      co_await std::move(task);
      result.value.emplace();
    } else {
      result.value.emplace(co_await std::move(task));
    }
  } catch (...) {
    result.exception = std::current_exception();
  }
}

template <class T>
T block_on(Worker& worker, Task<T> task) {
  PERCH_CHECK(Worker::current() == nullptr);
  auto result = std::make_shared<BlockOnResult<T>>();
  spawn_on(worker, run_for_block_on<T>(std::move(task), BlockOnTicket<T>(result))).detach();
  result->wait();
  if (result->exception) std::rethrow_exception(result->exception);
  if (!result->value) throw TaskCancelled(CancelReason::kShutdown);
  if constexpr (!std::is_void_v<T>) return std::move(*result->value);
}

}  // namespace perch::task::detail
