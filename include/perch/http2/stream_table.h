// The open streams of one session, found by id.
//
// Open addressing over a power of two of pointers, by id / 2: a client's ids come in order, so the
// home slots of streams that are open together rarely collide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "perch/http2/frame.h"

namespace perch::http2 {

class Stream;

class StreamTable {
 public:
  StreamTable() = default;
  StreamTable(const StreamTable&) = delete;
  StreamTable& operator=(const StreamTable&) = delete;
  ~StreamTable();  // deletes what is left

  Stream* find(StreamId id) const;
  // Takes the stream over. REQUIRES: no stream of that id is there.
  void insert(std::unique_ptr<Stream> stream);
  // REQUIRES: the stream is there.
  std::unique_ptr<Stream> remove(StreamId id);
  std::size_t size() const { return size_; }

  // Calls `visit(Stream&)` for each; `visit` must not insert or remove.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t i = 0; i < capacity_; ++i) {
      if (slots_[i] != nullptr) visit(*slots_[i]);
    }
  }
  // Any one of them; null when empty.
  Stream* any() const;

 private:
  std::size_t home(StreamId id) const { return (id >> 1) & (capacity_ - 1); }
  void grow();

  std::unique_ptr<Stream*[]> slots_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  std::size_t displaced_ = 0;  // streams that are not in their home slot
};

}  // namespace perch::http2
