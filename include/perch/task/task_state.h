// The state word of a task: one 64-bit atomic in the task's frame. Internal to the task layer.
//
// Three parties change it: the *home worker* (the thread that runs the task), the holder of the
// JoinHandle (any thread, one at a time), and, once per task, whoever cancels first. Every change
// is a compare-exchange or a fetch-op on the whole word, so each sees the others' bits.
//
//   bits   name        meaning; who sets it; who clears it
//   0-1    phase       kChild: awaited by another task, the word is otherwise unused.
//                      kActive: queued or running. Set by spawn, and by the wake that ends a wait.
//                      kWaiting: on a wait list. Set by the task when it suspends; only the home
//                      worker moves it back (a wake), and exactly one wake succeeds per wait.
//                      kDone: has ended; final. Set by the home worker.
//   2-3    outcome     why the last wait ended: value, cancelled, timed out. Set by the wake;
//                      cleared by the task when it reads it, so it is 0 unless one is pending.
//                      With kDone: kOutcomeCancelled says that the task never ran.
//   4      failed      an exception is kept in the frame. Set by the task before kDone.
//   5      cancelled   asked to stop. Set once, by any thread; never cleared.
//   6-8    reason      CancelReason; valid with bit 5, set with it.
//   9      joiner      another task waits in join(). Set by the joiner; cleared by it unless the
//                      task is done first. With kDone: the news is on its way to the joiner.
//   10     listener    a CompletionListener waits. Set and cleared on the home worker.
//   11-15  -           reserved: bound, shielded, fiber, sampled, named.
//   16-23  references  one for the execution (dropped when the task has ended), one for the
//                      JoinHandle, one for each cancellation and completion under way between
//                      workers. The last to go destroys the frame.
//   24-33  home        id of the home worker. Set before the task is shared.
//   34-43  joiner home id of the joiner's worker; valid with bit 9, set with it.
//   44-63  tick        when the current wait began, in units of 256 ms. Set by the task.
//
// Ordering. What the task's waits and wakes touch besides this word (leaf, links) belongs to the
// home worker alone, so those changes are relaxed. kDone is stored with release and read with
// acquire: it publishes the result and the exception. Dropping a reference is a release, and the
// last drop an acquire: every use of the frame happens before its end. The joiner bit is stored
// with release for the joiner pointer's sake; a foreign home worker never reads that pointer, it
// sends the task to the joiner's worker, which wrote it.
#pragma once

#include <cstdint>

namespace perch::task::state {

using Word = std::uint64_t;

inline constexpr Word kPhaseMask = 3;
inline constexpr Word kChild = 0;
inline constexpr Word kActive = 1;
inline constexpr Word kWaiting = 2;
inline constexpr Word kDone = 3;

inline constexpr Word kOutcomeMask = Word{3} << 2;
inline constexpr Word kOutcomeValue = 0;
inline constexpr Word kOutcomeCancelled = Word{1} << 2;
inline constexpr Word kOutcomeTimedOut = Word{2} << 2;

inline constexpr Word kFailed = Word{1} << 4;
inline constexpr Word kCancelled = Word{1} << 5;
inline constexpr int kReasonShift = 6;
inline constexpr Word kReasonMask = Word{7} << kReasonShift;
inline constexpr Word kJoiner = Word{1} << 9;
inline constexpr Word kListener = Word{1} << 10;

inline constexpr int kReferenceShift = 16;
inline constexpr Word kReference = Word{1} << kReferenceShift;
inline constexpr Word kReferenceMask = Word{0xff} << kReferenceShift;

inline constexpr unsigned kMaxWorkers = 1024;  // of the whole process
inline constexpr int kHomeShift = 24;
inline constexpr Word kHomeMask = Word{kMaxWorkers - 1} << kHomeShift;
inline constexpr int kJoinerHomeShift = 34;
inline constexpr Word kJoinerHomeMask = Word{kMaxWorkers - 1} << kJoinerHomeShift;

inline constexpr int kTickShift = 44;
inline constexpr Word kTickMask = ~Word{0} << kTickShift;

constexpr Word phase(Word word) { return word & kPhaseMask; }
constexpr Word references(Word word) { return (word & kReferenceMask) >> kReferenceShift; }
constexpr unsigned home(Word word) {
  return static_cast<unsigned>((word & kHomeMask) >> kHomeShift);
}
constexpr unsigned joiner_home(Word word) {
  return static_cast<unsigned>((word & kJoinerHomeMask) >> kJoinerHomeShift);
}

}  // namespace perch::task::state
