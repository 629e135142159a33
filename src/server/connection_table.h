// The hot table: one slot of 24 bytes for every connection of a worker, in any state.
//
// Deadlines, counts and sweeps read this table only. What a state needs beyond it is behind
// `target`: nothing (accepted, lingering), a record of the parked store, or an active Connection.
//
// Slots are found by index; an index that is used again gets a new generation, so that an event or
// a reference that is late finds out. Pages of slots never move and are not given back.
// Thread-safety: none; one table per worker.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "perch/memory/parked_store.h"

namespace perch::server {

class Connection;

enum class SlotState : std::uint8_t {
  kFree,
  kAccepted,   // nothing received yet
  kActive,     // target.connection; quiet ones as well
  kParked,     // target.record
  kLingering,  // our side is shut down, waiting for the peer's close
};

struct Slot {
  static constexpr std::uint32_t kGenerationBits = 28;
  static constexpr std::uint32_t kGenerationMask = (1U << kGenerationBits) - 1;

  union Target {
    Connection* connection;
    memory::RecordId record;
    std::uint32_t next_free;
    std::uint32_t unsent;  // lingering: bytes that the kernel still had when last looked at
  };

  Target target{nullptr};
  std::int32_t fd = -1;
  std::uint32_t last_active = 0;  // in units of kTickNanoseconds
  std::uint32_t generation : 28 = 0;
  std::uint32_t state_bits : 4 = 0;
  // Wakes in a row without a request: the grace before parking doubles with each.
  std::uint8_t idle_wakes = 0;
  bool secure = false;  // by TLS
  bool http1 = false;   // once the first bytes have told; else HTTP/2

  SlotState state() const { return static_cast<SlotState>(state_bits); }
  void set_state(SlotState state) { state_bits = static_cast<std::uint32_t>(state) & 0xf; }
};
static_assert(sizeof(Slot) == 24);

// Ticks of 2^24 ns (about 17 ms) since the table was made wrap after two years.
inline constexpr int kTickShift = 24;

class ConnectionTable {
 public:
  static constexpr std::uint32_t kSlotsPerPage = 1024;

  ConnectionTable() = default;
  ~ConnectionTable();
  ConnectionTable(const ConnectionTable&) = delete;
  ConnectionTable& operator=(const ConnectionTable&) = delete;

  // A slot in state kAccepted.
  std::uint32_t allocate(int fd);
  // The slot must not be kFree. Its descriptor is the caller's to close.
  void release(std::uint32_t index);

  Slot& operator[](std::uint32_t index) {
    return pages_[index / kSlotsPerPage][index % kSlotsPerPage];
  }
  // The slot, if it is in use under that generation; else null.
  Slot* find(std::uint32_t index, std::uint32_t generation);

  std::uint32_t used() const { return used_; }
  // Indices below this may be in use.
  std::uint32_t bound() const { return bound_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<std::unique_ptr<Slot[]>> pages_;
  std::uint32_t first_free_ = kNone;
  std::uint32_t bound_ = 0;
  std::uint32_t used_ = 0;
};

}  // namespace perch::server
