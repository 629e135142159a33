#include "perch/http/body.h"

#include <algorithm>
#include <string>
#include <utility>

#include "perch/base/check.h"

namespace perch::http {
namespace {

Error reader_gone() { return {ErrorCode::kClosed, "the body's reader has gone", Fault::kPeer}; }
Error already_ended() { return {ErrorCode::kClosed, "the body has ended already"}; }

task::Task<Result<Bytes>> read_nothing() { co_return Bytes(); }

// Text that Bytes share.
class TextOwner final : public BytesOwner {
 public:
  static Bytes share(std::string text) {
    auto* owner = new TextOwner(std::move(text));
    const auto data = as_bytes(owner->text_);
    return Bytes::adopt(owner, data.data(), data.size());
  }

 private:
  explicit TextOwner(std::string text) : BytesOwner(&destroy), text_(std::move(text)) {}
  static void destroy(BytesOwner* owner) noexcept { delete static_cast<TextOwner*>(owner); }

  std::string text_;
};

Bytes join(std::vector<Bytes> pieces, std::size_t size) {
  if (pieces.empty()) return {};
  if (pieces.size() == 1) return std::move(pieces.front());
  std::string all;
  all.reserve(size);
  for (const Bytes& piece : pieces) all.append(piece.view());
  return TextOwner::share(std::move(all));
}

}  // namespace

Bytes ByteQueue::pop_front() {
  PERCH_DCHECK(!empty());
  Bytes piece = std::move(pieces_[first_++]);
  if (first_ == pieces_.size()) {
    clear();
  } else if (first_ >= 32 && first_ * 2 >= pieces_.size()) {
    pieces_.erase(pieces_.begin(), pieces_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return piece;
}

void ByteQueue::clear() {
  pieces_.clear();
  first_ = 0;
  if (pieces_.capacity() > 32) std::vector<Bytes>().swap(pieces_);
}

void BodyPipe::push(Bytes data) {
  if (data.empty() || state_ != State::kOpen || abandoned_) return;
  buffered_ += data.size();
  queue_gathered();
  queue_.push_back(std::move(data));
  wake_consumer();
}

void BodyPipe::push_copy(std::span<const std::byte> data) {
  constexpr std::size_t kSmall = 1024;
  constexpr std::size_t kMostGathered = 4096;
  if (data.size() >= kSmall) return push(Bytes::copy(data));
  if (data.empty() || state_ != State::kOpen || abandoned_) return;
  if (gathered_.size() + data.size() > kMostGathered) queue_gathered();
  buffered_ += data.size();
  gathered_.append(as_text(data));
  wake_consumer();
}

void BodyPipe::queue_gathered() {
  if (gathered_.empty()) return;
  queue_.push_back(TextOwner::share(std::move(gathered_)));
  gathered_ = std::string();
}

task::Task<Result<void>> BodyPipe::write(Bytes data, Deadline deadline) {
  for (;;) {
    if (abandoned_) co_return std::unexpected(reader_gone());
    if (state_ != State::kOpen) co_return std::unexpected(already_ended());
    if (data.empty() || buffered_ < capacity_) break;
    writable_.reset();
    Result<void> waited = co_await writable_.wait(deadline);
    if (!waited) co_return std::unexpected(std::move(waited.error()));
  }
  push(std::move(data));
  co_return Result<void>();
}

void BodyPipe::finish(Fields trailers) {
  if (state_ != State::kOpen || abandoned_) return;
  state_ = State::kFinished;
  trailers_ = std::move(trailers);
  writable_.set();
  wake_consumer();
}

void BodyPipe::fail(Error error) {
  if (state_ != State::kOpen || abandoned_) return;
  state_ = State::kFailed;
  error_ = std::move(error);
  queue_.clear();
  gathered_.clear();
  buffered_ = 0;
  writable_.set();
  wake_consumer();
}

task::Task<Result<Bytes>> BodyPipe::read(Deadline deadline) {
  for (;;) {
    if (abandoned_) co_return std::unexpected(reader_gone());
    if (state_ == State::kFailed) co_return std::unexpected(*error_);
    if (queue_.empty()) queue_gathered();
    if (!queue_.empty()) {
      Bytes data = queue_.pop_front();
      consumed(data.size());
      co_return std::move(data);
    }
    if (state_ == State::kFinished) co_return Bytes();
    readable_.reset();
    Result<void> waited = co_await readable_.wait(deadline);
    if (!waited) co_return std::unexpected(std::move(waited.error()));
  }
}

PullResult BodyPipe::pull(std::size_t max) {
  PERCH_DCHECK(max > 0);
  if (abandoned_ || state_ == State::kFailed) return {PullResult::Kind::kFailed, {}, false};
  if (queue_.empty()) queue_gathered();
  if (queue_.empty()) {
    const bool ended = state_ == State::kFinished;
    return {ended ? PullResult::Kind::kEnd : PullResult::Kind::kBlocked, {}, false};
  }
  Bytes& front = queue_.front();
  Bytes data = front.size() <= max ? queue_.pop_front() : front.take_front(max);
  consumed(data.size());
  const bool last = at_end();
  return {PullResult::Kind::kData, std::move(data), last};
}

void BodyPipe::abandon() {
  if (abandoned_) return;
  abandoned_ = true;
  queue_.clear();
  gathered_.clear();
  const std::size_t dropped = std::exchange(buffered_, 0);
  writable_.set();
  readable_.set();
  Listener* listener = listener_;
  if (listener == nullptr) return;
  if (dropped > 0) listener->on_consumed(dropped);
  listener->on_abandoned();
}

void BodyPipe::wake_consumer() {
  readable_.set();
  if (ready_hook_ != nullptr) ready_hook_->on_body_ready();
}

void BodyPipe::consumed(std::size_t bytes) {
  buffered_ -= bytes;
  if (buffered_ < capacity_) writable_.set();
  if (listener_ != nullptr) listener_->on_consumed(bytes);
}

BodyReader& BodyReader::operator=(BodyReader&& other) noexcept {
  if (this != &other) {
    BodyReader old(std::exchange(pipe_, std::move(other.pipe_)));
  }
  return *this;
}

BodyReader::~BodyReader() {
  if (pipe_ == nullptr) return;
  const bool read_to_the_end = pipe_->finished() && pipe_->buffered() == 0;
  if (!read_to_the_end) pipe_->abandon();
}

task::Task<Result<Bytes>> BodyReader::read(Deadline deadline) {
  return pipe_ == nullptr ? read_nothing() : pipe_->read(deadline);
}

task::Task<Result<Bytes>> BodyReader::read_all(std::size_t max_bytes, Deadline deadline) {
  std::vector<Bytes> pieces;
  std::size_t size = 0;
  for (;;) {
    Result<Bytes> piece = co_await read(deadline);
    if (!piece) co_return std::unexpected(std::move(piece.error()));
    if (piece->empty()) co_return join(std::move(pieces), size);
    size += piece->size();
    if (size > max_bytes) {
      co_return std::unexpected(
          Error(ErrorCode::kLimitExceeded, "the body is too large", Fault::kPeer, Scope::kStream));
    }
    pieces.push_back(std::move(*piece));
  }
}

const Fields* BodyReader::trailers() const {
  if (pipe_ == nullptr || !pipe_->finished() || pipe_->buffered() > 0) return nullptr;
  return pipe_->trailers().empty() ? nullptr : &pipe_->trailers();
}

task::Task<Result<void>> BodyWriter::write(Bytes data, Deadline deadline) {
  return pipe_->write(std::move(data), deadline);
}

}  // namespace perch::http
