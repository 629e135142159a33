#include "task_lifecycle.h"

#include "perch/memory/slab.h"
#include "perch/task/join_handle.h"
#include "perch/task/spawn.h"
#include "perch/task/wait.h"

namespace perch::task::detail {
namespace {

// Carries a cancellation to the home worker of a waiting task: only that worker may take the task
// off its wait list. Owns one reference to the task.
struct CancelMessage : memory::SlabAllocated {
  Post post;
  TaskHeader* task;

  static void on_arrival(Post& post) noexcept {
    auto* message = reinterpret_cast<CancelMessage*>(&post);
    TaskHeader* task = message->task;
    delete message;
    // The task may have been woken meanwhile, and may even wait no more; then the bit is enough.
    wake(*task, WaitOutcome::kCancelled);
    drop_reference(*task);
  }
};
static_assert(offsetof(CancelMessage, post) == 0);

// A task that has ended arrives at the worker of the task that joins it. Owns one reference.
void on_joined(Post& post) noexcept {
  auto& task = static_cast<TaskHeader&>(*reinterpret_cast<TaskNode*>(&post));
  task.links = {nullptr, nullptr};
  // Null when the joiner gave up in the meantime.
  if (auto* joiner = static_cast<TaskHeader*>(task.next())) wake(*joiner, WaitOutcome::kValue);
  drop_reference(task);
}

// Tells whoever waits for the end of the task, which is kDone. Takes the execution's reference.
void announce_end(TaskHeader& task, state::Word ended) noexcept {
  if ((ended & state::kJoiner) != 0) {
    Worker& joiner_worker = worker_of_id(state::joiner_home(ended));
    if (&joiner_worker != Worker::current()) {
      task.post = Post{&on_joined, nullptr};
      joiner_worker.post(task.post);
      return;
    }
    wake(*static_cast<TaskHeader*>(task.next()), WaitOutcome::kValue);
  } else if ((ended & state::kListener) != 0) {
    static_cast<CompletionListener*>(task.next())->on_task_done();
  }
  drop_reference(task);
}

void finish_shared(TaskHeader& task, state::Word outcome) noexcept {
  constexpr state::Word kWaited = state::kJoiner | state::kListener;
  state::Word seen = task.load(std::memory_order_relaxed);
  state::Word wanted;
  do {
    wanted = (seen & ~(state::kPhaseMask | state::kOutcomeMask)) | state::kDone | outcome;
    // Nobody to tell: the execution's reference goes with the same step.
    if ((seen & kWaited) == 0) wanted -= state::kReference;
  } while (!task.state().compare_exchange_weak(seen, wanted, std::memory_order_acq_rel,
                                               std::memory_order_relaxed));
  if ((wanted & kWaited) != 0) {
    announce_end(task, wanted);
  } else if (state::references(wanted) == 0) {
    task.frame().destroy();
  }
}

}  // namespace

bool is_home(state::Word word) noexcept {
  Worker* worker = Worker::current();
  return worker != nullptr && worker->id() == state::home(word);
}

void drop_reference(TaskHeader& task) noexcept {
  // A sole owner skips the locked instruction: nobody else can take a reference meanwhile.
  if (state::references(task.load(std::memory_order_acquire)) == 1 ||
      state::references(task.state().fetch_sub(state::kReference, std::memory_order_acq_rel)) ==
          1) {
    task.frame().destroy();
  }
}

void request_cancel(TaskHeader& task, CancelReason reason, bool consume_reference) noexcept {
  const state::Word request =
      state::kCancelled | (static_cast<state::Word>(reason) << state::kReasonShift);
  state::Word seen = task.load(std::memory_order_relaxed);
  // A message to the home worker needs a reference: the caller's if it gives one up, else a new
  // one.
  bool must_send;
  state::Word wanted;
  do {
    if (state::phase(seen) == state::kDone || (seen & state::kCancelled) != 0) {
      if (consume_reference) drop_reference(task);
      return;
    }
    wanted = seen | request;
    must_send = state::phase(seen) == state::kWaiting && !is_home(seen);
    if (must_send && !consume_reference) wanted += state::kReference;
    if (!must_send && consume_reference) wanted -= state::kReference;
    // Release: what the caller did with the frame happens before its end.
  } while (!task.state().compare_exchange_weak(seen, wanted, std::memory_order_release,
                                               std::memory_order_relaxed));
  if (must_send) {
    auto* message = new CancelMessage;
    message->post = Post{&CancelMessage::on_arrival, nullptr};
    message->task = &task;
    worker_of_id(state::home(seen)).post(message->post);
  } else if (state::phase(seen) == state::kWaiting) {
    // At home and waiting: the execution's reference keeps the task, which only this thread runs.
    wake(task, WaitOutcome::kCancelled);
  }
}

void finish(TaskHeader& task) noexcept { TaskStarter::end(task); }

void finish_unstarted(TaskHeader& task) noexcept { finish_shared(task, state::kOutcomeCancelled); }

// ---- TaskStarter

namespace {
constexpr state::Word fresh_state(state::Word home_bits) {
  return state::kActive | 2 * state::kReference | home_bits;
}
}  // namespace

void TaskStarter::enqueue(TaskHeader& task) {
  Worker* worker = Worker::current();
  PERCH_CHECK(worker != nullptr);
  task.state().store(fresh_state(worker->home_bits_), std::memory_order_relaxed);
  ++worker->live_tasks_;
  worker->ready_.push_back(task);
}

void TaskStarter::send(Worker& worker, TaskHeader& task) noexcept {
  task.state().store(fresh_state(worker.home_bits_), std::memory_order_relaxed);
  task.post = Post{&on_arrival, nullptr};
  worker.post(task.post);
}

void TaskStarter::on_arrival(Post& post) noexcept {
  auto& task = static_cast<TaskHeader&>(*reinterpret_cast<TaskNode*>(&post));
  task.links = {nullptr, nullptr};
  Worker& worker = *Worker::current();
  ++worker.live_tasks_;
  worker.ready_.push_back(task);
}

void TaskStarter::run_now(TaskHeader& task) {
  Worker* worker = Worker::current();
  PERCH_CHECK(worker != nullptr);
  task.state().store(fresh_state(worker->home_bits_), std::memory_order_relaxed);
  ++worker->live_tasks_;
  // Tasks nest here only: the starter goes on when the new task first suspends.
  TaskHeader* outer = std::exchange(worker->current_task_, &task);
  TaskHeader* outer_starting = std::exchange(worker->starting_task_, &task);
  task.frame().resume();
  worker->current_task_ = outer;
  worker->starting_task_ = outer_starting;
}

void TaskStarter::end(TaskHeader& task) noexcept {
  Worker& worker = *Worker::current();
  --worker.live_tasks_;
  if (worker.starting_task_ == &task) {
    // Ended within start(): no handle exists yet, so nobody else sees the word.
    state::Word word = task.load(std::memory_order_relaxed);
    task.state().store((word | state::kDone) - state::kReference, std::memory_order_relaxed);
    return;
  }
  finish_shared(task, state::kOutcomeValue);
}

}  // namespace perch::task::detail
