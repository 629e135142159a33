// How a stopped worker's tasks are ended: steps 3 and 4 of Runtime::stop.
#include <utility>

#include "perch/task/wait.h"
#include "perch/task/worker.h"
#include "task_lifecycle.h"

namespace perch::task {
namespace {

template <class Visit>
void drain(TaskList& list, Visit visit) {
  while (!list.empty()) visit(list.front());
}

}  // namespace

// Each cancelled task leaves its list for the run queue. Tasks that have not started are ended
// there without running.
void Worker::cancel_waiting_tasks() {
  auto cancel = [](TaskHeader& task) {
    detail::request_cancel(task, CancelReason::kShutdown, /*consume_reference=*/false);
    // Cancelled before, and the message has not been read yet.
    if (state::phase(task.load(std::memory_order_relaxed)) == state::kWaiting) {
      wake(task, WaitOutcome::kCancelled);
    }
  };
  drain(waiting_, cancel);
  wait_queues_.for_each([&](WaitQueue& queue) { drain(queue.tasks(), cancel); });

  // Ready tasks are told as well; a ready task stays where it is in the queue.
  TaskList ready;
  while (!ready_.empty()) ready.push_back(ready_.pop_front());
  while (!ready.empty()) {
    TaskHeader& task = ready.pop_front();
    detail::request_cancel(task, CancelReason::kShutdown, /*consume_reference=*/false);
    ready_.push_back(task);
  }
}

// They count as ended at once, but their frames stay until every one has ended and the news has
// gone round: one may be registered at another that it joins.
void Worker::abandon_tasks() {
  cancel_waiting_tasks();  // brings them all to the run queue
  while (!ready_.empty()) {
    TaskHeader& task = ready_.pop_front();
    task.state().fetch_add(state::kReference, std::memory_order_relaxed);
    abandoned_.push_back(&task);
    --live_tasks_;
    detail::finish_unstarted(task);
  }
}

// Each is suspended, started or not; destroying the frame, now or with the last handle, destroys
// what it holds and awaits.
void Worker::release_abandoned_tasks() {
  for (TaskHeader* task : std::exchange(abandoned_, {})) detail::drop_reference(*task);
}

}  // namespace perch::task
