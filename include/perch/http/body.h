// Message bodies that are not there all at once.
//
// A BodySource is pulled by a protocol engine when the peer's flow control and the socket have
// room. A BodyPipe joins a waiting reader to a producer within one worker: the connection feeds
// request bodies to handlers through one, and handlers feed response bodies to the connection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perch/base/bytes.h"
#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/http/fields.h"
#include "perch/task/event.h"
#include "perch/task/task.h"

namespace perch::http {

struct PullResult {
  enum class Kind : std::uint8_t {
    kData,     // `data` is not empty; `last` says whether the body ends with it
    kBlocked,  // nothing now; the ready hook will be called
    kEnd,      // the body is over (after trailers(), if any)
    kFailed,   // the body cannot be completed: the stream must be reset
  };
  Kind kind;
  Bytes data;
  bool last = false;
};

// Where a body comes from. Bound to one worker. Destroyed early when its stream is reset.
class BodySource {
 public:
  // Called when a source that answered kBlocked may have something again.
  struct ReadyHook {
    virtual void on_body_ready() noexcept = 0;

   protected:
    ~ReadyHook() = default;
  };

  virtual ~BodySource() = default;
  // At most `max` bytes (max > 0). Must not call the hook from inside.
  virtual PullResult pull(std::size_t max) = 0;
  // `pull` would give kEnd: the end can be told even while flow control leaves no room for bytes.
  virtual bool at_end() const { return false; }
  // The exact size in bytes, where known: becomes Content-Length.
  virtual std::optional<std::uint64_t> size() const { return std::nullopt; }
  // Looked at after kEnd, or after `last`; null for none.
  virtual const Fields* trailers() const { return nullptr; }
  virtual void set_ready_hook(ReadyHook*) {}
};

// First in, first out; keeps no storage before the first push.
class ByteQueue {
 public:
  bool empty() const { return pieces_.empty(); }
  void push_back(Bytes piece) { pieces_.push_back(std::move(piece)); }
  // REQUIRES for both: not empty.
  Bytes& front() { return pieces_[first_]; }
  Bytes pop_front();
  void clear();

 private:
  std::vector<Bytes> pieces_;
  std::size_t first_ = 0;  // what lies before it has been taken
};

// A bounded byte pipe within one worker: one producer, one consumer.
//
// States: open -> finished (orderly, maybe with trailers) or failed (with an Error). Data that was
// pushed before `finish` is still read; `fail` discards it.
// Thread-safety: none; both ends on one worker. Shared by shared_ptr since either end may go first.
class BodyPipe {
 public:
  // Told about progress at the other end. Either hook may be null; each is called at most once per
  // operation, after the pipe's state is up to date.
  struct Listener {
    // The consumer took `bytes` (a protocol engine then opens its flow-control window).
    virtual void on_consumed(std::size_t bytes) noexcept = 0;
    // The consumer went away: nobody will read on.
    virtual void on_abandoned() noexcept = 0;

   protected:
    ~Listener() = default;
  };

  explicit BodyPipe(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}
  BodyPipe(const BodyPipe&) = delete;
  BodyPipe& operator=(const BodyPipe&) = delete;

  // --- producer
  // Queues `data` even beyond the capacity (a peer's flow control has bounded it already).
  // Ignored once finished, failed or abandoned.
  void push(Bytes data);
  // The same for bytes that the caller keeps. Small pieces that come before the consumer takes them
  // are gathered: a peer that sends one byte at a time costs no more memory than one that does not.
  void push_copy(std::span<const std::byte> data);
  // Queues `data`, waiting while the pipe is at or above its capacity. Errors: kClosed when the
  // consumer has gone, kCancelled, kTimedOut. Empty data is ignored.
  task::Task<Result<void>> write(Bytes data, Deadline deadline);
  void finish(Fields trailers = {});
  // Discards what is queued, without a call of the listener: the caller is the producer.
  void fail(Error error);
  void set_listener(Listener* listener) { listener_ = listener; }

  // --- consumer
  // The next bytes, in the order pushed; empty Bytes at the orderly end (then trailers() is
  // complete). Errors: what `fail` was given, kCancelled, kTimedOut.
  task::Task<Result<Bytes>> read(Deadline deadline);
  // Without waiting, at most `max` bytes.
  PullResult pull(std::size_t max);
  void set_ready_hook(BodySource::ReadyHook* hook) { ready_hook_ = hook; }
  // The consumer will read no more: drops what is queued. The listener is told of the dropped bytes
  // by on_consumed, then of the end by on_abandoned.
  void abandon();

  // --- both
  const Fields& trailers() const { return trailers_; }
  std::size_t buffered() const { return buffered_; }
  bool finished() const { return state_ == State::kFinished; }
  bool at_end() const { return finished() && queue_.empty() && gathered_.empty(); }
  bool abandoned() const { return abandoned_; }

 private:
  enum class State : std::uint8_t { kOpen, kFinished, kFailed };
  void queue_gathered();
  void wake_consumer();
  void consumed(std::size_t bytes);

  ByteQueue queue_;
  std::string gathered_;  // small pieces, behind the queue
  Fields trailers_;
  std::optional<Error> error_;
  Listener* listener_ = nullptr;
  BodySource::ReadyHook* ready_hook_ = nullptr;
  task::Event readable_;
  task::Event writable_;
  std::size_t capacity_;
  std::size_t buffered_ = 0;
  State state_ = State::kOpen;
  bool abandoned_ = false;
};

// A handler's end of a request body: reads until empty Bytes. A body that is not read is discarded
// when the request ends.
class BodyReader {
 public:
  BodyReader() = default;  // an empty body
  explicit BodyReader(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  BodyReader(BodyReader&&) noexcept = default;
  BodyReader& operator=(BodyReader&& other) noexcept;
  ~BodyReader();

  // See BodyPipe::read.
  task::Task<Result<Bytes>> read(Deadline deadline = Deadline::never());
  // The whole body in one piece. Errors: kLimitExceeded beyond `max_bytes`, and those of read.
  task::Task<Result<Bytes>> read_all(std::size_t max_bytes, Deadline deadline = Deadline::never());
  // Complete after the end was read; null before, or when there are none.
  const Fields* trailers() const;

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

// A handler's end of a streamed response body.
class BodyWriter {
 public:
  explicit BodyWriter(std::shared_ptr<BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  BodyWriter(BodyWriter&&) noexcept = default;
  BodyWriter& operator=(BodyWriter&&) noexcept = default;

  // See BodyPipe::write: waits while the client is slower than the handler.
  task::Task<Result<void>> write(Bytes data, Deadline deadline = Deadline::never());
  // Ends the body with these trailers; without a call it ends when the producer returns.
  void finish(Fields trailers = {}) { pipe_->finish(std::move(trailers)); }
  // Ends the stream with RST_STREAM INTERNAL_ERROR.
  void fail(Error error) { pipe_->fail(std::move(error)); }

 private:
  std::shared_ptr<BodyPipe> pipe_;
};

}  // namespace perch::http
