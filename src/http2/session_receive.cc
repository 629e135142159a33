// The receiving half of the session: frames to events, with every check that needs state.
#include <algorithm>
#include <optional>
#include <utility>

#include "http2/request_builder.h"
#include "perch/base/check.h"
#include "perch/http2/session.h"

namespace perch::http2 {

std::size_t Session::receive(std::span<const std::byte> input, Instant now) {
  now_ = now;
  std::size_t used = 0;
  if (preface_seen_ < kClientPreface.size()) used = receive_preface(input);
  while (!failed_ && input.size() - used >= kFrameHeaderBytes) {
    const std::span<const std::byte> rest = input.subspan(used);
    const FrameHeader header = read_frame_header(rest);
    if (header.length > kDefaultMaxFrameSize) {
      fail(ErrorCode::kFrameSizeError, "frame larger than SETTINGS_MAX_FRAME_SIZE");
      break;
    }
    if (rest.size() < kFrameHeaderBytes + header.length) break;
    on_frame(header, rest.subspan(kFrameHeaderBytes, header.length));
    used += kFrameHeaderBytes + header.length;
    if (queued_control_ > options_.queued_control_frames) {
      fail(ErrorCode::kEnhanceYourCalm, "too many control frames to answer");
    }
  }
  return failed_ ? input.size() : used;
}

std::size_t Session::receive_preface(std::span<const std::byte> input) {
  const std::string_view expected = kClientPreface.substr(preface_seen_);
  const std::string_view got = as_text(input).substr(0, expected.size());
  if (!expected.starts_with(got)) {
    fail(ErrorCode::kProtocolError, "not the HTTP/2 client preface");
    return input.size();
  }
  preface_seen_ = static_cast<std::uint8_t>(preface_seen_ + got.size());
  return got.size();
}

void Session::on_frame(const FrameHeader& header, std::span<const std::byte> payload) {
  if (!settings_seen_ && (header.type != FrameType::kSettings || header.has(flags::kAck))) {
    return fail(ErrorCode::kProtocolError, "first frame is not SETTINGS");
  }
  if (header_stream_ != 0 &&
      (header.type != FrameType::kContinuation || header.stream_id != header_stream_)) {
    return fail(ErrorCode::kProtocolError, "header block interrupted by another frame");
  }
  switch (header.type) {
    case FrameType::kData:
      return on_data(header, payload);
    case FrameType::kHeaders:
      return on_headers(header, payload);
    case FrameType::kPriority:
      return on_priority(header, payload);
    case FrameType::kRstStream:
      return on_rst_stream(header, payload);
    case FrameType::kSettings:
      return on_settings(header, payload);
    case FrameType::kPushPromise:
      return fail(ErrorCode::kProtocolError, "PUSH_PROMISE from a client");
    case FrameType::kPing:
      return on_ping(header, payload);
    case FrameType::kGoaway:
      return on_goaway(header, payload);
    case FrameType::kWindowUpdate:
      return on_window_update(header, payload);
    case FrameType::kContinuation:
      return on_continuation(header, payload);
    case FrameType::kPriorityUpdate:
      return on_priority_update(header, payload);
  }
  count_useless("too many frames of unknown types");
}

// --- DATA

void Session::on_data(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto data = parse_data(header, payload);
  if (!data) return frame_error(data.error(), header.stream_id);
  if (is_idle(header.stream_id)) {
    return fail(ErrorCode::kProtocolError, "DATA on an idle stream");
  }
  if (header.length > receive_window_) {
    return fail(ErrorCode::kFlowControlError, "DATA beyond the connection's window");
  }
  receive_window_ -= header.length;

  Stream* stream = streams_.find(header.stream_id);
  if (stream == nullptr) {
    credit_connection(header.length);
    return on_closed_stream(header);
  }
  if (stream->remote_ended_) {
    credit_connection(header.length);
    return stream_error(header.stream_id, ErrorCode::kStreamClosed);
  }
  if (static_cast<std::int64_t>(header.length) > stream->receive_window_) {
    credit_connection(header.length);
    return stream_error(header.stream_id, ErrorCode::kFlowControlError);
  }
  stream->receive_window_ -= static_cast<std::int32_t>(header.length);

  const std::size_t size = data->data.size();
  const bool end_stream = header.has(flags::kEndStream);
  const auto padding = static_cast<std::uint32_t>(header.length - size);
  if (size == 0 && !end_stream) {
    count_useless("too many DATA frames without data");
    if (failed_) return;
  }
  if (end_stream) end_remote(*stream);
  if (padding > 0) {
    credit_connection(padding);
    credit_stream(*stream, padding);
  }
  stream->received_bytes_ += size;
  const bool wrong_length =
      stream->has_length_ && (stream->received_bytes_ > stream->expected_bytes_ ||
                              (end_stream && stream->received_bytes_ != stream->expected_bytes_));
  if (wrong_length) {
    credit_connection(static_cast<std::uint32_t>(size));
    return stream_error(header.stream_id, ErrorCode::kProtocolError);
  }
  if (stream->phase_ == Stream::Phase::kDone) {
    credit_connection(static_cast<std::uint32_t>(size));
    return discard_request(*stream);
  }
  if (!stream->announced_) return credit_connection(static_cast<std::uint32_t>(size));
  stream->unconsumed_ += static_cast<std::uint32_t>(size);
  if (size > 0 || end_stream) events_.on_body(*stream, data->data, end_stream);
}

void Session::end_remote(Stream& stream) { stream.remote_ended_ = true; }

// The response is complete and the rest of the request is not wanted. It is let in as far as half a
// window: most of what clients still send was on its way already, and some take a reset for a
// failure of the response.
void Session::discard_request(Stream& stream) {
  if (stream.remote_ended_) return close_stream(stream, ErrorCode::kNoError);
  const auto half_window = static_cast<std::int32_t>(options_.initial_window_bytes / 2);
  if (stream.receive_window_ < half_window) stop_request(stream);
}

// One policy for streams that are gone, decided by ids alone so that it survives parking: the
// compression context and the connection window are always kept in step, what may still have been
// in flight is ignored, and what cannot have been is an error.
void Session::on_closed_stream(const FrameHeader& header) {
  const StreamId id = header.stream_id;
  if (id <= reset_up_to_ || id > goaway_last_) return;
  if (id >= skipped_first_ && id <= skipped_last_) {
    return fail(ErrorCode::kProtocolError, "stream identifier lower than an earlier one");
  }
  fail(ErrorCode::kStreamClosed, "DATA or HEADERS on a closed stream");
}

// --- the other frames

void Session::on_priority(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto fields = parse_priority(header, payload);
  if (!fields) return frame_error(fields.error(), header.stream_id);
  if (fields->dependency == header.stream_id) {
    frame_error({ErrorCode::kProtocolError, false, "stream depends on itself"}, header.stream_id);
  }
}

void Session::on_rst_stream(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto code = parse_rst_stream(header, payload);
  if (!code) return frame_error(code.error(), header.stream_id);
  if (is_idle(header.stream_id)) {
    return fail(ErrorCode::kProtocolError, "RST_STREAM on an idle stream");
  }
  Stream* stream = streams_.find(header.stream_id);
  if (stream == nullptr) return;
  const auto age_ms = static_cast<std::uint32_t>(now_.milliseconds()) - stream->opened_ms_;
  const bool harmless = stream->phase_ == Stream::Phase::kBody ||
                        stream->phase_ == Stream::Phase::kDone ||
                        age_ms >= options_.slow_reset_age.count() / 1'000'000;
  close_stream(*stream, *code == ErrorCode::kNoError ? ErrorCode::kCancel : *code);
  if (!harmless && !count_reset()) fail(ErrorCode::kEnhanceYourCalm, "too many streams reset");
}

void Session::on_settings(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto count = parse_settings(header, payload);
  if (!count) return frame_error(count.error(), header.stream_id);
  if (header.has(flags::kAck)) return on_settings_ack();
  settings_seen_ = true;
  std::optional<Setting> window;
  for (std::size_t i = 0; i < *count && !failed_; ++i) {
    const Setting value = setting_at(payload, i);
    if (value.id == setting::kInitialWindowSize && check_setting(value)) {
      window = value;  // the last one, once: each is a walk over all streams
    } else {
      apply_setting(value);
    }
  }
  if (window.has_value() && !failed_) apply_setting(*window);
  if (failed_) return;
  FrameWriter(control_).settings_ack();
  ++queued_control_;
}

void Session::on_settings_ack() {
  if (settings_acked_) return count_useless("too many SETTINGS acknowledgements");
  const std::uint32_t before = initial_receive_window();
  settings_acked_ = true;
  const auto shrinks_by = static_cast<std::int32_t>(before - initial_receive_window());
  streams_.for_each([&](Stream& stream) { stream.receive_window_ -= shrinks_by; });
}

void Session::apply_setting(Setting value) {
  if (const auto valid = check_setting(value); !valid) {
    return fail(valid.error().code, valid.error().what);
  }
  switch (value.id) {
    case setting::kHeaderTableSize:
      peer_.header_table_size = value.value;
      encoder_.set_peer_limit(value.value);
      break;
    case setting::kInitialWindowSize: {
      const std::int64_t change = std::int64_t{value.value} - peer_.initial_window;
      peer_.initial_window = value.value;
      bool overflow = false;
      streams_.for_each([&](Stream& stream) {
        const std::int64_t window = stream.send_window_ + change;
        overflow |= window > std::int64_t{kLargestWindow};
        if (!overflow) stream.send_window_ = static_cast<std::int32_t>(window);
        if (!overflow && change > 0) make_ready_if_blocked(stream);
      });
      if (overflow) fail(ErrorCode::kFlowControlError, "initial window overflows a stream's");
      break;
    }
    case setting::kMaxFrameSize:
      peer_.max_frame_size = value.value;
      break;
    case setting::kMaxHeaderListSize:
      peer_.max_header_list = value.value;
      break;
    default:
      break;  // RFC 9113 section 6.5.2: unknown settings are ignored
  }
}

void Session::on_ping(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto opaque = parse_ping(header, payload);
  if (!opaque) return frame_error(opaque.error(), header.stream_id);
  if (header.has(flags::kAck)) return count_useless("too many PING answers that nobody asked for");
  FrameWriter(control_).ping(*opaque, true);
  ++queued_control_;
}

void Session::on_goaway(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto goaway = parse_goaway(header, payload);
  if (!goaway) return frame_error(goaway.error(), header.stream_id);
  // It speaks of streams that this side would open, and there are none; the client is leaving.
  goaway_received_ = true;
}

void Session::on_window_update(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto increment = parse_window_update(header, payload);
  if (!increment) return frame_error(increment.error(), header.stream_id);
  if (header.stream_id == 0) {
    send_window_ += *increment;
    connection_blocked_ = false;
    if (send_window_ > std::int64_t{kLargestWindow}) {
      fail(ErrorCode::kFlowControlError, "connection window overflow");
    }
    return;
  }
  if (is_idle(header.stream_id)) {
    return fail(ErrorCode::kProtocolError, "WINDOW_UPDATE on an idle stream");
  }
  Stream* stream = streams_.find(header.stream_id);
  if (stream == nullptr) return;
  const std::int64_t window = std::int64_t{stream->send_window_} + *increment;
  if (window > std::int64_t{kLargestWindow}) {
    return stream_error(header.stream_id, ErrorCode::kFlowControlError);
  }
  stream->send_window_ = static_cast<std::int32_t>(window);
  make_ready_if_blocked(*stream);
}

void Session::on_priority_update(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto update = parse_priority_update(header, payload);
  if (!update) return frame_error(update.error(), header.stream_id);
  Stream* stream = streams_.find(update->prioritized_stream_id);
  if (stream == nullptr) {
    // RFC 9218 section 7.1: it may come late, and that is no fault of the client's.
    if (is_idle(update->prioritized_stream_id)) count_useless("too many PRIORITY_UPDATE frames");
    return;
  }
  parse_priority_field(update->field_value, stream->urgency_, stream->incremental_);
  if (stream->phase_ == Stream::Phase::kBody && stream->is_linked()) {
    stream->unlink();
    make_ready(*stream);
  }
}

}  // namespace perch::http2
