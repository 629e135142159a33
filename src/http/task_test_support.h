// Runs a task to its end on a worker of its own.
#pragma once

#include <utility>

#include "perch/task/runtime.h"

namespace perch::http {

template <class T>
T run(task::Task<T> task) {
  task::Runtime runtime({.workers = 1});
  runtime.start();
  return runtime.block_on(std::move(task));
}

}  // namespace perch::http
