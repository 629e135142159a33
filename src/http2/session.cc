#include "perch/http2/session.h"

#include <algorithm>
#include <array>
#include <utility>

#include "http2/request_builder.h"
#include "perch/base/check.h"

namespace perch::http2 {

namespace {

http::StreamEnd stream_end(ErrorCode reason) {
  switch (reason) {
    case ErrorCode::kNoError:
      return http::StreamEnd::kComplete;
    case ErrorCode::kCancel:
    case ErrorCode::kRefusedStream:
      return http::StreamEnd::kReset;
    default:
      return http::StreamEnd::kFailed;
  }
}

}  // namespace

Stream::~Stream() {
  if (source_ != nullptr) source_->set_ready_hook(nullptr);
  unlink();
}

void Stream::on_body_ready() noexcept { session_.body_ready(*this); }

Session::Session(const SessionOptions& options, http::ServerEvents& events, Instant now)
    : options_(options), events_(events), now_(now), started_(now) {
  std::array<Setting, 4> settings{{
      {setting::kMaxConcurrentStreams, options.max_concurrent_streams},
      {setting::kMaxHeaderListSize, options.header_bytes},
      {setting::kNoRfc7540Priorities, 1},
      {setting::kInitialWindowSize, options.initial_window_bytes},
  }};
  const bool default_window = options.initial_window_bytes == kDefaultWindow;
  FrameWriter writer(control_);
  writer.settings(std::span(settings).first(default_window ? 3 : 4));
  if (options.connection_window_bytes > kDefaultWindow) {
    writer.window_update(0, options.connection_window_bytes - kDefaultWindow);
    receive_window_ = options.connection_window_bytes;
  }
}

Session::Session(const SessionOptions& options, http::ServerEvents& events, Instant now, Restored)
    : options_(options),
      events_(events),
      now_(now),
      started_(now),
      receive_window_(receive_window_limit()),
      preface_seen_(kClientPreface.size()),
      settings_seen_(true),
      settings_acked_(true) {}

Session::~Session() {
  // Before the lists that they are on.
  while (const Stream* stream = streams_.any()) streams_.remove(stream->id());
}

bool Session::wants_output() const {
  if (!control_.empty()) return true;
  if (failed_) return false;
  if (!heads_.empty() || !ends_.empty()) return true;
  if (ready_mask_ == 0 || connection_blocked_) return false;
  return std::ranges::any_of(ready_, [](const auto& list) { return !list.empty(); });
}

bool Session::finished() const {
  if (failed_) return !wants_output();
  return (goaway_final_sent_ || goaway_received_) && streams_.size() == 0 && !wants_output() &&
         header_stream_ == 0;
}

bool Session::can_park() const {
  return !failed_ && !goaway_final_sent_ && !goaway_received_ && streams_.size() == 0 &&
         settings_seen_ && settings_acked_ && header_stream_ == 0 && control_.empty() &&
         lingering_handlers_ == 0 && !encoder_.size_update_pending();
}

void Session::fail(ErrorCode code, std::string_view what) {
  if (failed_) return;
  failed_ = true;
  failure_ = what;
  FrameWriter(control_).goaway(last_peer_stream_, code, as_bytes(what));
  while (Stream* stream = streams_.any()) close_stream(*stream, code);
}

void Session::check_deadlines(Instant now) {
  now_ = now;
  if (failed_) return;
  if (!settings_seen_) {
    if (now - started_ >= options_.header_timeout) {
      fail(ErrorCode::kProtocolError, "no client preface in time");
    }
  } else if (!settings_acked_ && now - started_ >= options_.settings_ack_timeout) {
    fail(ErrorCode::kSettingsTimeout, "SETTINGS were not acknowledged in time");
  } else if (header_stream_ != 0 && now - header_block_started_ >= options_.header_timeout) {
    fail(ErrorCode::kEnhanceYourCalm, "header block not complete in time");
  } else {
    stop_requests_done_before(now - options_.unwanted_request_timeout);
    check_stalls(now);
  }
}

void Session::announce_shutdown() {
  if (failed_ || goaway_notice_sent_ || goaway_final_sent_) return;
  goaway_notice_sent_ = true;
  FrameWriter(control_).goaway(kLargestStreamId, ErrorCode::kNoError);
}

void Session::shutdown() {
  if (failed_ || goaway_final_sent_) return;
  goaway_final_sent_ = true;
  goaway_last_ = last_peer_stream_;
  stop_requests_done_before(now_);
  FrameWriter(control_).goaway(last_peer_stream_, ErrorCode::kNoError);
}

// --- errors and their budget

void Session::frame_error(const FrameError& error, StreamId stream) {
  if (error.connection || is_idle(stream)) {
    fail(error.code, error.what);
  } else {
    stream_error(stream, error.code);
  }
}

void Session::stream_error(StreamId id, ErrorCode code) {
  ++counters_.stream_errors;
  queue_rst_stream(id, code);
  Stream* stream = streams_.find(id);
  if (stream != nullptr) close_stream(*stream, code);
  if (!count_reset()) fail(ErrorCode::kEnhanceYourCalm, "too many streams reset");
}

void Session::queue_rst_stream(StreamId id, ErrorCode code) {
  const Stream* stream = streams_.find(id);
  if (stream != nullptr && !stream->remote_ended_) reset_up_to_ = std::max(reset_up_to_, id);
  FrameWriter(control_).rst_stream(id, code);
  ++queued_control_;
}

bool Session::count_reset() {
  return resets_.add(now_, options_.resets_per_window, options_.rate_window);
}

void Session::count_useless(std::string_view what) {
  if (!useless_.add(now_, options_.useless_frames_per_window, options_.rate_window)) {
    fail(ErrorCode::kEnhanceYourCalm, what);
  }
}

void Session::note_useless_wake(Instant now) {
  now_ = now;
  count_useless("too many wakes without a request");
}

void Session::close_stream(Stream& stream, ErrorCode reason) {
  stream.unlink();
  open_header_bytes_ -= stream.header_bytes_;
  if (stream.request_unwanted_) {
    --unfinished_requests_;
    reason = ErrorCode::kNoError;  // however the request ended: the response is whole
  }
  if (stream.source_ != nullptr) {
    stream.source_->set_ready_hook(nullptr);
    stream.source_.reset();
  }
  credit_connection(std::exchange(stream.unconsumed_, 0));
  const std::unique_ptr<Stream> owned = streams_.remove(stream.id_);
  owned->end_code_ = reason;
  if (owned->announced_) events_.on_stream_closed(*owned, stream_end(reason));
}

void Session::reset(Stream& stream, ErrorCode reason) {
  queue_rst_stream(stream.id_, reason);
  close_stream(stream, reason);
  if (!producing_) events_.on_output_ready();
}

// --- flow control, receiving side

std::uint32_t Session::initial_receive_window() const {
  // RFC 9113 section 6.5.3: a smaller window binds the peer once it has acknowledged it.
  if (settings_acked_) return options_.initial_window_bytes;
  return std::max(options_.initial_window_bytes, kDefaultWindow);
}

std::uint32_t Session::receive_window_limit() const {
  return std::max(options_.connection_window_bytes, kDefaultWindow);
}

void Session::credit_connection(std::uint32_t bytes) {
  uncredited_ += bytes;
  if (failed_ || uncredited_ < receive_window_limit() / 2) return;
  const std::uint32_t increment = std::exchange(uncredited_, 0);
  receive_window_ += increment;
  FrameWriter(control_).window_update(0, increment);
}

void Session::credit_stream(Stream& stream, std::uint32_t bytes) {
  if (stream.remote_ended_ || bytes == 0) return;
  stream.uncredited_ += bytes;
  if (stream.uncredited_ < options_.initial_window_bytes / 2) return;
  const std::uint32_t increment = std::exchange(stream.uncredited_, 0);
  stream.receive_window_ += static_cast<std::int32_t>(increment);
  FrameWriter(control_).window_update(stream.id_, increment);
}

void Session::consumed(http::ServerStream& of, std::size_t bytes) {
  auto& stream = static_cast<Stream&>(of);
  PERCH_CHECK(bytes <= stream.unconsumed_);
  const auto amount = static_cast<std::uint32_t>(bytes);
  stream.unconsumed_ -= amount;
  credit_connection(amount);
  credit_stream(stream, amount);
  if (!control_.empty() && !producing_) events_.on_output_ready();
}

}  // namespace perch::http2
