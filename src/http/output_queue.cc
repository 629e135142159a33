#include "perch/http/output_queue.h"

#include <algorithm>
#include <cstring>

#include "perch/base/check.h"

namespace perch::http {
namespace {

// Below this a copy is cheaper than one more piece in the system call.
constexpr std::size_t kCopyBelow = 2048;
constexpr std::size_t kKeptBlockBytes = 64 * 1024;
constexpr std::size_t kKeptSegments = 256;
// Consumed bytes and segments that a queue which is never empty may carry along.
constexpr std::size_t kConsumedBlockBytes = 16 * 1024;
constexpr std::size_t kConsumedSegments = 64;

}  // namespace

std::byte* OutputQueue::extend(std::size_t size) {
  if (segments_.size() == first_segment_ || !segments_.back().bytes.empty()) {
    segments_.push_back({Bytes(), 0});
  }
  segments_.back().size += size;
  pending_ += size;
  const std::size_t at = block_.size();
  block_.resize(at + size);
  return block_.data() + at;
}

void OutputQueue::append(std::span<const std::byte> data) {
  if (data.empty()) return;
  std::memcpy(extend(data.size()), data.data(), data.size());
}

void OutputQueue::append(Bytes data) {
  if (data.size() < kCopyBelow) {
    append(data.span());
    return;
  }
  pending_ += data.size();
  const std::size_t size = data.size();
  segments_.push_back({std::move(data), size});
}

std::size_t OutputQueue::gather(std::span<Piece> pieces) const {
  std::size_t count = 0;
  std::size_t block_at = block_start_;
  for (std::size_t i = first_segment_; i < segments_.size() && count < pieces.size(); ++i) {
    const Segment& segment = segments_[i];
    if (segment.bytes.empty()) {
      pieces[count++] = {block_.data() + block_at, segment.size};
      block_at += segment.size;
    } else {
      pieces[count++] = {segment.bytes.data(), segment.size};
    }
  }
  return count;
}

void OutputQueue::consume(std::size_t bytes) {
  PERCH_CHECK(bytes <= pending_);
  pending_ -= bytes;
  if (pending_ == 0) {
    clear();
    return;
  }
  while (bytes > 0) {
    Segment& segment = segments_[first_segment_];
    const std::size_t part = std::min(bytes, segment.size);
    if (segment.bytes.empty()) {
      block_start_ += part;
    } else if (part < segment.size) {
      segment.bytes.drop_front(part);
    }
    segment.size -= part;
    bytes -= part;
    if (segment.size == 0) {
      segment.bytes = Bytes();
      ++first_segment_;
    }
  }
  // The front is dropped when it outweighs the rest, so each byte moves at most once.
  if (block_start_ > kConsumedBlockBytes && block_start_ > block_.size() / 2) {
    block_.erase(block_.begin(), block_.begin() + static_cast<std::ptrdiff_t>(block_start_));
    block_start_ = 0;
  }
  if (first_segment_ > kConsumedSegments && first_segment_ > segments_.size() / 2) {
    segments_.erase(segments_.begin(),
                    segments_.begin() + static_cast<std::ptrdiff_t>(first_segment_));
    first_segment_ = 0;
  }
}

void OutputQueue::clear() {
  block_.clear();
  segments_.clear();
  block_start_ = first_segment_ = 0;
  pending_ = 0;
}

void OutputQueue::shrink() {
  if (!empty()) return;
  if (block_.capacity() > kKeptBlockBytes) std::vector<std::byte>().swap(block_);
  if (segments_.capacity() > kKeptSegments) std::vector<Segment>().swap(segments_);
}

}  // namespace perch::http
