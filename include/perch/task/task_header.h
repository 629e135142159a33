// The part of a task's promise that does not depend on its result: 40 bytes. Internal to the layer,
// but for awaitables (wait.h) that keep a TaskHeader* to wake.
#pragma once

#include <atomic>
#include <coroutine>
#include <exception>
#include <new>

#include "perch/base/check.h"
#include "perch/task/post.h"
#include "perch/task/task_state.h"

namespace perch::task {

// What a task is queued by. A task is on at most one list: run queue, wait list, or (as a Post) the
// inbox of a worker.
struct TaskNode {
  struct Links {
    TaskNode* next;
    TaskNode* prev;
  };
  union {
    Links links;  // next is null while on no list
    Post post;    // while on its way to a worker
  };

  TaskNode() : links{nullptr, nullptr} {}
  bool is_linked() const { return links.next != nullptr; }
  void unlink() {
    if (!is_linked()) return;
    links.prev->links.next = links.next;
    links.next->links.prev = links.prev;
    links = {nullptr, nullptr};
  }
};

// Invariants:
//  - a task that was spawned (phase other than kChild) is the root of a chain of awaiting frames;
//    `leaf_` is the innermost, the one to resume. Null until it first runs.
//  - `next_` is the awaiting frame (kChild), the joining task (kJoiner) or the listener
//  (kListener).
//  - an exception takes leaf_'s place: a task that has failed is not resumed again.
class TaskHeader : public TaskNode {
 public:
  using Handle = std::coroutine_handle<TaskHeader>;

  TaskHeader() = default;
  TaskHeader(const TaskHeader&) = delete;
  TaskHeader& operator=(const TaskHeader&) = delete;

  std::atomic<state::Word>& state() { return state_; }
  state::Word load(std::memory_order order) const { return state_.load(order); }
  bool is_done() const {
    return state::phase(state_.load(std::memory_order_acquire)) == state::kDone;
  }

  void* leaf() const { return leaf_.frame; }
  void set_leaf(std::coroutine_handle<> leaf) { leaf_.frame = leaf.address(); }

  void* next() const { return next_; }
  void set_next(void* next) { next_ = next; }

  // The frame that this header lies in. Every promise begins with its header, and none is aligned
  // beyond 16 bytes (see task.h), so the header's place tells the frame's.
  Handle frame() { return Handle::from_promise(*this); }

  bool has_failed() const { return (state_.load(std::memory_order_relaxed) & state::kFailed) != 0; }
  const std::exception_ptr& exception() const { return leaf_.exception; }

 protected:
  ~TaskHeader() {
    if (has_failed()) leaf_.exception.~exception_ptr();
  }
  void keep_exception() noexcept {
    ::new (static_cast<void*>(&leaf_.exception)) std::exception_ptr(std::current_exception());
    state_.fetch_or(state::kFailed, std::memory_order_relaxed);
  }

 private:
  std::atomic<state::Word> state_{0};
  // What is alive in it is told by kFailed.
  union Leaf {
    Leaf() : frame(nullptr) {}
    ~Leaf() {}
    void* frame;
    std::exception_ptr exception;
  } leaf_;
  void* next_ = nullptr;
};

static_assert(sizeof(TaskHeader) <= 48, "a waiting task keeps this much beside its own frame");

// First in, first out. Borrows its tasks. One thread at a time.
class TaskList {
 public:
  TaskList() { head_.links = {&head_, &head_}; }
  TaskList(const TaskList&) = delete;
  TaskList& operator=(const TaskList&) = delete;

  bool empty() const { return head_.links.next == &head_; }
  TaskHeader& front() { return static_cast<TaskHeader&>(*head_.links.next); }
  void push_back(TaskHeader& task) {
    PERCH_DCHECK(!task.is_linked());
    task.links = {&head_, head_.links.prev};
    head_.links.prev->links.next = &task;
    head_.links.prev = &task;
  }
  TaskHeader& pop_front() {
    TaskHeader& task = front();
    task.unlink();
    return task;
  }

 private:
  TaskNode head_;
};

}  // namespace perch::task
