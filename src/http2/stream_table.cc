#include "perch/http2/stream_table.h"

#include <utility>

#include "perch/base/check.h"
#include "perch/http2/stream.h"

namespace perch::http2 {

StreamTable::~StreamTable() {
  for (std::size_t i = 0; i < capacity_; ++i) delete slots_[i];
}

Stream* StreamTable::find(StreamId id) const {
  if (size_ == 0) return nullptr;
  for (std::size_t i = home(id);; i = (i + 1) & (capacity_ - 1)) {
    Stream* stream = slots_[i];
    if (stream == nullptr || stream->id() == id) return stream;
  }
}

void StreamTable::insert(std::unique_ptr<Stream> stream) {
  // At most half full, so that probing always meets an empty slot soon.
  if ((size_ + 1) * 2 > capacity_) grow();
  std::size_t i = home(stream->id());
  while (slots_[i] != nullptr) i = (i + 1) & (capacity_ - 1);
  if (i != home(stream->id())) ++displaced_;
  slots_[i] = stream.release();
  ++size_;
}

std::unique_ptr<Stream> StreamTable::remove(StreamId id) {
  PERCH_CHECK(size_ > 0);
  const std::size_t mask = capacity_ - 1;
  std::size_t hole = home(id);
  while (slots_[hole] == nullptr || slots_[hole]->id() != id) {
    PERCH_CHECK(slots_[hole] != nullptr);
    hole = (hole + 1) & mask;
  }
  std::unique_ptr<Stream> removed(slots_[hole]);
  slots_[hole] = nullptr;
  --size_;
  if (hole != home(id)) --displaced_;
  if (displaced_ == 0) return removed;
  // Close the gap: a stream behind it moves in when its home is not between the gap and itself.
  for (std::size_t i = (hole + 1) & mask; slots_[i] != nullptr; i = (i + 1) & mask) {
    const std::size_t distance_to_home = (i - home(slots_[i]->id())) & mask;
    const std::size_t distance_to_hole = (i - hole) & mask;
    if (distance_to_home >= distance_to_hole) {
      slots_[hole] = std::exchange(slots_[i], nullptr);
      if (distance_to_home == distance_to_hole) --displaced_;
      hole = i;
    }
  }
  return removed;
}

Stream* StreamTable::any() const {
  for (std::size_t i = 0; size_ > 0 && i < capacity_; ++i) {
    if (slots_[i] != nullptr) return slots_[i];
  }
  return nullptr;
}

void StreamTable::grow() {
  const std::size_t old_capacity = capacity_;
  std::unique_ptr<Stream*[]> old = std::move(slots_);
  capacity_ = old_capacity == 0 ? 8 : old_capacity * 2;
  slots_ = std::make_unique<Stream*[]>(capacity_);
  displaced_ = 0;
  for (std::size_t i = 0; i < old_capacity; ++i) {
    if (old[i] == nullptr) continue;
    std::size_t to = home(old[i]->id());
    while (slots_[to] != nullptr) to = (to + 1) & (capacity_ - 1);
    if (to != home(old[i]->id())) ++displaced_;
    slots_[to] = old[i];
  }
}

}  // namespace perch::http2
