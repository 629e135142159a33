// The content of a file, in one piece or as a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "perch/base/bytes.h"
#include "perch/http/body.h"
#include "perch/http/range.h"
#include "perch/memory/buffer_pool.h"
#include "perch/memory/slab.h"
#include "server/files/document_root.h"

namespace perch::server {

// Reads the whole file into one block, which is accounted to the file cache while it lives. Nothing
// when the file is not, or is no longer, what `identity` says, or cannot be read.
std::optional<Bytes> read_file(int descriptor, const FileIdentity& identity);

// A copy of `text`, accounted in the same way.
Bytes make_cached_body(std::string_view text);

// A file that a cache entry and any number of streams share; closed with the last of them.
struct SharedFile {
  net::UniqueFd descriptor;
  FileIdentity identity;
};

// A number that no other thread of the process ever has (a std::thread::id is used again).
std::uint64_t thread_serial();

// One thread's buffers for streams. A pull for a frame does not take a buffer for four.
class StreamBuffers {
 public:
  static constexpr std::size_t kSmallBytes = 16 << 10;
  static constexpr std::size_t kLargeBytes = 64 << 10;

  // The calling thread's, which all its caches and streams share: whoever drops a cache, its
  // buffers go with their thread, since a piece of a body that is still to be written returns to
  // them.
  static const std::shared_ptr<StreamBuffers>& of_this_thread();

  // Whether the calling thread made them: pools never change hands, though a worker's streams may
  // when a runtime stops, or another one takes the worker's place.
  bool belong_here() const { return owner_ == thread_serial(); }
  // REQUIRES: belong_here; size <= kLargeBytes.
  memory::Buffer take(std::size_t size) {
    return size <= kSmallBytes ? small_.take() : large_.take();
  }
  std::size_t loaned_bytes() const {
    return small_.loaned() * kSmallBytes + large_.loaned() * kLargeBytes;
  }

 private:
  std::uint64_t owner_ = thread_serial();
  memory::BufferPool small_{kSmallBytes, 256 << 10};
  memory::BufferPool large_{kLargeBytes, 1 << 20};
};

// Streams a file or a part of it, at most 64 KiB at a time. Fails once the file is not what it was
// when it was opened: its head, and what was sent of it, would belong to another content. (A file
// replaced by a rename stays as it was for those who have it open.)
class FileSource final : public http::BodySource, public memory::SlabAllocated {
 public:
  FileSource(std::shared_ptr<const SharedFile> file, std::shared_ptr<StreamBuffers> buffers)
      : file_(std::move(file)), buffers_(std::move(buffers)), end_(file_->identity.size) {}
  // REQUIRES: `part` lies within the file.
  FileSource(std::shared_ptr<const SharedFile> file, std::shared_ptr<StreamBuffers> buffers,
             const http::ByteRange& part)
      : file_(std::move(file)),
        buffers_(std::move(buffers)),
        offset_(static_cast<std::int64_t>(part.first)),
        end_(static_cast<std::int64_t>(part.last) + 1),
        size_(part.size()) {}

  http::PullResult pull(std::size_t max) override;
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  std::shared_ptr<const SharedFile> file_;
  std::shared_ptr<StreamBuffers> buffers_;
  std::int64_t offset_ = 0;
  std::int64_t end_;
  std::uint64_t size_ = static_cast<std::uint64_t>(end_);
  bool failed_ = false;
};

}  // namespace perch::server
