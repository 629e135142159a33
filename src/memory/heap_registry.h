// Heaps that outlived their thread and wait for the next one.
#pragma once

#include <mutex>
#include <utility>

namespace perch::memory {

// Heaps are never destroyed, because objects that came from one may be freed at any time. The list
// keeps them reachable, for leak checkers and for new threads.
//
// Thread-safety: all functions may be called from any thread.
template <class Heap>
class HeapRegistry {
 public:
  // A heap for the calling thread alone.
  Heap* adopt() {
    {
      const std::lock_guard lock(mutex_);
      if (idle_ != nullptr) return std::exchange(idle_, idle_->next_idle);
    }
    return new Heap;
  }

  void leave(Heap* heap) {
    const std::lock_guard lock(mutex_);
    heap->next_idle = idle_;
    idle_ = heap;
  }

 private:
  std::mutex mutex_;
  Heap* idle_ = nullptr;
};

}  // namespace perch::memory
