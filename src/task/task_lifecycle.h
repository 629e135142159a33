// How a spawned task is asked to stop, ends, and goes away. Shared by the files of src/task.
#pragma once

#include "perch/task/cancel.h"
#include "perch/task/task_header.h"
#include "perch/task/worker.h"

namespace perch::task::detail {

// Whether this thread runs the task's home worker.
bool is_home(state::Word word) noexcept;

// Gives up one reference; the last one destroys the frame. Any thread.
void drop_reference(TaskHeader& task) noexcept;

// Sets the cancel bit and wakes the task. With `consume_reference` it also gives up one reference
// of the caller's. Any thread.
void request_cancel(TaskHeader& task, CancelReason reason, bool consume_reference) noexcept;

// Ends a task that was cancelled before it ran. On its home worker.
void finish_unstarted(TaskHeader& task) noexcept;

}  // namespace perch::task::detail
