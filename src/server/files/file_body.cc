#include "server/files/file_body.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <new>
#include <span>
#include <utility>

#include "perch/memory/account.h"

namespace perch::server {
namespace {

// Header of a block; the content follows it in the same allocation.
class BodyBlock final : public BytesOwner {
 public:
  static BodyBlock* make(std::size_t size) {
    void* memory = ::operator new(sizeof(BodyBlock) + size);
    return ::new (memory) BodyBlock(size);
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }

 private:
  explicit BodyBlock(std::size_t size) : BytesOwner(&free), size_(size) { account(1); }
  static void free(BytesOwner* owner) noexcept {
    auto* block = static_cast<BodyBlock*>(owner);
    block->account(-1);
    block->~BodyBlock();
    ::operator delete(block);
  }
  void account(int sign) const {
    memory::account(memory::MemoryClass::kFileCache,
                    sign * static_cast<std::int64_t>(sizeof(BodyBlock) + size_));
  }

  std::size_t size_;
};

// Fills `out` from `offset` on; false at an early end of the file or an error.
bool read_fully(int descriptor, std::span<std::byte> out, std::int64_t offset) {
  while (!out.empty()) {
    const ssize_t got = ::pread(descriptor, out.data(), out.size(), offset);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    out = out.subspan(static_cast<std::size_t>(got));
    offset += got;
  }
  return true;
}

}  // namespace

const std::shared_ptr<StreamBuffers>& StreamBuffers::of_this_thread() {
  thread_local const auto kBuffers = std::make_shared<StreamBuffers>();
  return kBuffers;
}

std::uint64_t thread_serial() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t serial = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return serial;
}

std::optional<Bytes> read_file(int descriptor, const FileIdentity& identity) {
  Bytes body;
  if (identity.size > 0) {
    const auto size = static_cast<std::size_t>(identity.size);
    BodyBlock* block = BodyBlock::make(size);
    body = Bytes::adopt(block, block->data(), size);
    if (!read_fully(descriptor, {block->data(), size}, 0)) return std::nullopt;
  }
  if (!same_content(identify(descriptor), identity)) return std::nullopt;
  return body;
}

Bytes make_cached_body(std::string_view text) {
  if (text.empty()) return {};
  BodyBlock* block = BodyBlock::make(text.size());
  std::memcpy(block->data(), text.data(), text.size());
  return Bytes::adopt(block, block->data(), text.size());
}

http::PullResult FileSource::pull(std::size_t max) {
  using Kind = http::PullResult::Kind;
  if (failed_) return {Kind::kFailed, {}, false};
  const std::int64_t left = end_ - offset_;
  if (left == 0) return {Kind::kEnd, {}, false};

  const auto wanted = std::min({max, StreamBuffers::kLargeBytes, static_cast<std::size_t>(left)});
  const int descriptor = file_->descriptor.get();
  if (!buffers_->belong_here()) buffers_ = StreamBuffers::of_this_thread();
  memory::Buffer buffer = buffers_->take(wanted);
  // The kernel moves the modification time before it changes the content: what was read before an
  // unchanged time is unchanged too.
  if (!read_fully(descriptor, {buffer.data(), wanted}, offset_) ||
      !same_content(identify(descriptor), file_->identity)) {
    failed_ = true;
    return {Kind::kFailed, {}, false};
  }
  offset_ += static_cast<std::int64_t>(wanted);
  // A small piece must not hold a whole buffer while it waits to be written.
  Bytes data = wanted * 2 < buffer.size() ? Bytes::copy(buffer.span().first(wanted))
                                          : std::move(buffer).freeze(wanted);
  return {Kind::kData, std::move(data), offset_ == end_};
}

}  // namespace perch::server
