// What the tests of tasks share: run a coroutine on a fresh one-worker runtime, and say what is
// alive.
#pragma once

#include <utility>

#include "perch/task/runtime.h"

namespace perch::task {

template <class T>
T run_on_one_worker(Task<T> task) {
  Runtime runtime({.workers = 1, .make_driver = {}});
  runtime.start();
  return runtime.block_on(std::move(task));
}

// Counts its living instances: held by a frame, it tells whether the frame is alive.
class Alive {
 public:
  explicit Alive(int& count) : count_(&count) { ++count; }
  Alive(Alive&& other) noexcept : count_(std::exchange(other.count_, nullptr)) {}
  Alive& operator=(Alive&&) = delete;
  ~Alive() {
    if (count_ != nullptr) --*count_;
  }

 private:
  int* count_;
};

}  // namespace perch::task
