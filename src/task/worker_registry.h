// The workers of the process by id, so that a state word can name one in ten bits.
#pragma once

namespace perch::task {
class Worker;
}

namespace perch::task::detail {

// The id stays the worker's until it is unregistered. Ends the process when kMaxWorkers are alive.
unsigned register_worker(Worker& worker);
void unregister_worker(unsigned id);

}  // namespace perch::task::detail
