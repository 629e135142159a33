// What a waiting task costs: one frame of a bounded size, and nothing else.
#include <vector>

#include <gtest/gtest.h>

#include "perch/memory/slab.h"
#include "perch/task/event.h"
#include "perch/task/sleep.h"
#include "test_runtime.h"

namespace perch::task {
namespace {

#ifdef __OPTIMIZE__
#ifdef __clang__
constexpr std::size_t kWaitingFrame = 80;
#else
constexpr std::size_t kWaitingFrame = 112;
#endif
#else
constexpr std::size_t kWaitingFrame = 256;
#endif

Task<> wait_without_deadline(Event& event) { (void)co_await event.wait(); }

TEST(FrameSize, AWaitingTaskIsOneSmallSlabObject) {
  run_on_one_worker([]() -> Task<> {
    constexpr std::size_t kTasks = 1'000;
    Event event;
    std::vector<JoinHandle<>> handles;
    handles.reserve(kTasks);
    const memory::SlabStatistics before = memory::slab_statistics();
    for (std::size_t i = 0; i < kTasks; ++i) handles.push_back(spawn(wait_without_deadline(event)));
    const memory::SlabStatistics queued = memory::slab_statistics();
    (void)co_await yield();
    const memory::SlabStatistics waiting = memory::slab_statistics();
    EXPECT_EQ(queued.live_objects - before.live_objects, kTasks);
    EXPECT_EQ(waiting.live_objects - before.live_objects, kTasks);
    const std::size_t each = (waiting.live_bytes - before.live_bytes) / kTasks;
    RecordProperty("bytes_per_waiting_task", static_cast<int>(each));
    EXPECT_LE(each, kWaitingFrame);

    event.set();
    (void)co_await handles.back().join();
    handles.clear();
    EXPECT_EQ(memory::slab_statistics().live_objects, before.live_objects);
  }());
}

TEST(FrameSize, TheHeaderOfATaskIsFiveWords) {
  EXPECT_EQ(sizeof(TaskHeader), 40u);
  EXPECT_EQ(sizeof(JoinHandle<>), 8u);
}

}  // namespace
}  // namespace perch::task
