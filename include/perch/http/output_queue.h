// What waits to be written to one connection, in order: small frames gathered in one block, large
// payloads by reference.
//
// Thread-safety: none; one worker.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "perch/base/bytes.h"

namespace perch::http {

class OutputQueue {
 public:
  struct Piece {
    const std::byte* data;
    std::size_t size;
  };

  bool empty() const { return pending_ == 0; }
  std::size_t pending_bytes() const { return pending_; }

  // Space for `size` bytes at the end; filled by the caller before the next call.
  std::byte* extend(std::size_t size);
  void append(std::span<const std::byte> data);
  // By reference; short ones are copied instead.
  void append(Bytes data);

  // Describes up to `pieces.size()` pieces from the front; returns how many. Valid until the next
  // non-const call.
  std::size_t gather(std::span<Piece> pieces) const;
  // Drops `bytes` from the front. REQUIRES: bytes <= pending_bytes().
  void consume(std::size_t bytes);
  void clear();
  // Frees the blocks beyond what a typical turn needs.
  void shrink();

 private:
  struct Segment {
    Bytes bytes;  // where not empty: by reference; else `size` bytes of block_
    std::size_t size;
  };
  std::vector<std::byte> block_;
  std::vector<Segment> segments_;
  std::size_t block_start_ = 0;    // of block_, not yet consumed
  std::size_t first_segment_ = 0;  // of segments_, not yet consumed
  std::size_t pending_ = 0;
};

}  // namespace perch::http
