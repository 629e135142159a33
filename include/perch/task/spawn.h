// Starting tasks that run concurrently with their starter.
#pragma once

#include <utility>

#include "perch/task/join_handle.h"
#include "perch/task/task.h"
#include "perch/task/worker.h"

namespace perch::task {

namespace detail {

class TaskStarter {
 public:
  static void enqueue(TaskHeader& task);
  static void send(Worker& worker, TaskHeader& task) noexcept;
  static void run_now(TaskHeader& task);
  static void end(TaskHeader& task) noexcept;

 private:
  static void on_arrival(Post& post) noexcept;
};

}  // namespace detail

// Queues the task behind those that are ready on this worker. REQUIRES: on a worker.
template <class T>
JoinHandle<T> spawn(Task<T> task) {
  detail::Promise<T>& promise = task.release().promise();
  detail::TaskStarter::enqueue(promise);
  return JoinHandle<T>(promise);
}

// Sends the task to `worker`, to be queued there. Any thread; what reaches a runtime that has
// stopped never runs. The task's parameters must be fit to move between threads.
template <class T>
JoinHandle<T> spawn_on(Worker& worker, Task<T> task) {
  detail::Promise<T>& promise = task.release().promise();
  detail::TaskStarter::send(worker, promise);
  return JoinHandle<T>(promise);
}

// Runs the task at once on this worker, within the call, up to its first wait. A task that never
// waits is done when this returns and has cost no queue, no wake-up and no atomic operation. May be
// called from a task or from the worker's own callbacks. REQUIRES: on a worker.
template <class T>
JoinHandle<T> start(Task<T> task) {
  detail::Promise<T>& promise = task.release().promise();
  detail::TaskStarter::run_now(promise);
  return JoinHandle<T>(promise);
}

}  // namespace perch::task
