#include "worker_registry.h"

#include <array>
#include <atomic>

#include "perch/base/check.h"
#include "perch/task/task_state.h"
#include "perch/task/worker.h"

namespace perch::task::detail {
namespace {

// Readers hold a task of that worker, so the worker is alive and its entry does not change.
constinit std::array<std::atomic<Worker*>, state::kMaxWorkers> workers{};

}  // namespace

unsigned register_worker(Worker& worker) {
  for (unsigned id = 0; id < state::kMaxWorkers; ++id) {
    Worker* expected = nullptr;
    if (workers[id].compare_exchange_strong(expected, &worker, std::memory_order_acq_rel)) {
      return id;
    }
  }
  PERCH_CHECK(!"too many workers");
  return 0;
}

void unregister_worker(unsigned id) { workers[id].store(nullptr, std::memory_order_release); }

Worker& worker_of_id(unsigned id) noexcept { return *workers[id].load(std::memory_order_acquire); }

}  // namespace perch::task::detail
