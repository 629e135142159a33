// Two kinds of intrusive work items for a Worker: Post from any thread, Deferred from its own.
#pragma once

#include "perch/base/intrusive_list.h"

namespace perch::task {

// Work handed to a worker from any thread: Worker::post. The object belongs to the caller, must
// live until `run` is called, and is on at most one queue; `run` may destroy or post it again.
struct Post {
  void (*run)(Post&) noexcept;
  Post* next;
};

struct DeferredTag;

// Work put off to the end of the loop turn: Worker::defer. May be unlinked (`unlink()`) or
// destroyed before it runs; the worker unlinks it before it calls `run`, so it may defer itself
// again, which then happens at the end of the next turn.
struct Deferred : ListLink<DeferredTag> {
  explicit Deferred(void (*run_function)(Deferred&) noexcept) : run(run_function) {}
  ~Deferred() { unlink(); }

  void (*run)(Deferred&) noexcept;
};

}  // namespace perch::task
