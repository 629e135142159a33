// Header blocks: from their fragments to a request, or to a stream's trailers.
#include <algorithm>
#include <memory>
#include <utility>

#include "http2/request_builder.h"
#include "perch/http2/session.h"

namespace perch::http2 {

void Session::on_headers(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto headers = parse_headers(header, payload);
  if (!headers) return frame_error(headers.error(), header.stream_id);
  if (header.stream_id % 2 == 0) {
    return fail(ErrorCode::kProtocolError, "HEADERS on an even stream");
  }
  begin_headers(header, header.has(flags::kEndStream));
  if (headers->priority.has_value() && headers->priority->dependency == header.stream_id) {
    // The block is still decoded, for the table's sake; the stream is refused at its end.
    header_discard_ = true;
    builder_->begin(RequestBuilder::Kind::kDiscard);
  }
  header_fragment(headers->fragment, header.has(flags::kEndHeaders));
}

void Session::begin_headers(const FrameHeader& header, bool end_stream) {
  if (builder_ == nullptr) builder_ = std::make_unique<RequestBuilder>(options_);
  header_stream_ = header.stream_id;
  header_end_stream_ = end_stream;
  header_block_started_ = now_;
  header_discard_ = false;
  continuations_ = 0;
  const bool request = is_idle(header.stream_id);
  const Stream* stream = request ? nullptr : streams_.find(header.stream_id);
  if (request) {
    builder_->begin(RequestBuilder::Kind::kRequest);
  } else if (stream != nullptr && !stream->remote_ended_) {
    builder_->begin(RequestBuilder::Kind::kTrailers);
  } else {
    builder_->begin(RequestBuilder::Kind::kDiscard);
  }
}

void Session::on_continuation(const FrameHeader& header, std::span<const std::byte> payload) {
  const auto fragment = parse_continuation(header, payload);
  if (!fragment) return frame_error(fragment.error(), header.stream_id);
  if (header_stream_ == 0) {
    return fail(ErrorCode::kProtocolError, "CONTINUATION without a header block");
  }
  if (++continuations_ > options_.continuation_frames) {
    return fail(ErrorCode::kEnhanceYourCalm, "too many CONTINUATION frames in a header block");
  }
  header_fragment(*fragment, header.has(flags::kEndHeaders));
}

void Session::header_fragment(std::span<const std::byte> fragment, bool end_headers_flag) {
  if (!decoder_.decode(fragment, end_headers_flag, *builder_)) {
    return fail(ErrorCode::kCompressionError, "header block does not decode");
  }
  if (builder_->hopeless()) {
    return fail(ErrorCode::kEnhanceYourCalm, "header list far beyond the announced limit");
  }
  if (end_headers_flag) end_headers();
}

void Session::end_headers() {
  const StreamId id = std::exchange(header_stream_, 0);
  if (is_idle(id)) return open_stream_at(id);
  Stream* stream = streams_.find(id);
  if (stream == nullptr) {
    return on_closed_stream({.type = FrameType::kHeaders, .stream_id = id});
  }
  if (stream->remote_ended_) return stream_error(id, ErrorCode::kStreamClosed);

  const RequestBuilder::Outcome outcome = builder_->finish();
  const bool wrong_length =
      stream->has_length_ && stream->received_bytes_ != stream->expected_bytes_;
  if (!header_end_stream_ || header_discard_ || wrong_length ||
      outcome == RequestBuilder::Outcome::kMalformed) {
    return stream_error(id, ErrorCode::kProtocolError);
  }
  if (outcome == RequestBuilder::Outcome::kTooLarge) {
    return stream_error(id, ErrorCode::kEnhanceYourCalm);
  }
  end_remote(*stream);
  if (stream->phase_ == Stream::Phase::kDone) return discard_request(*stream);
  if (stream->announced_) events_.on_trailers(*stream, builder_->take_trailers());
}

void Session::open_stream_at(StreamId id) {
  if (id > last_peer_stream_ + 2) {
    skipped_first_ = last_peer_stream_ + 1;
    skipped_last_ = id - 1;
  }
  last_peer_stream_ = id;
  if (streams_.size() + lingering_handlers_ >= options_.max_concurrent_streams) {
    if (!header_end_stream_) reset_up_to_ = id;
    return stream_error(id, ErrorCode::kRefusedStream);
  }
  const RequestBuilder::Outcome outcome =
      header_discard_ ? RequestBuilder::Outcome::kMalformed : builder_->finish();
  http::RequestHeadPtr head = builder_->take_head();
  const bool wrong_length =
      header_end_stream_ && head != nullptr && head->content_length.value_or(0) != 0;
  if (outcome == RequestBuilder::Outcome::kMalformed ||
      (outcome == RequestBuilder::Outcome::kComplete && wrong_length)) {
    if (!header_end_stream_) reset_up_to_ = id;
    return stream_error(id, ErrorCode::kProtocolError);
  }

  const auto header_bytes = static_cast<std::uint32_t>(builder_->list_bytes());
  if (outcome == RequestBuilder::Outcome::kComplete &&
      open_header_bytes_ + header_bytes > options_.open_header_bytes) {
    if (!header_end_stream_) reset_up_to_ = id;
    return stream_error(id, ErrorCode::kRefusedStream);
  }

  auto created =
      std::make_unique<Stream>(*this, id, static_cast<std::int32_t>(peer_.initial_window),
                               static_cast<std::int32_t>(initial_receive_window()));
  Stream& stream = *created;
  stream.opened_ms_ = static_cast<std::uint32_t>(now_.milliseconds());
  stream.remote_ended_ = header_end_stream_;
  stream.urgency_ = builder_->urgency();
  stream.incremental_ = builder_->incremental();
  stream.head_request_ = head->method == http::Method::kHead;
  if (head->content_length.has_value()) {
    stream.has_length_ = true;
    stream.expected_bytes_ = *head->content_length;
  }
  streams_.insert(std::move(created));
  ++counters_.requests;
  if (outcome == RequestBuilder::Outcome::kTooLarge) {
    return respond(stream, http::Response::error(431));
  }
  stream.announced_ = true;
  stream.header_bytes_ = header_bytes;
  open_header_bytes_ += header_bytes;
  events_.on_request(stream, std::move(head), header_end_stream_);
}

}  // namespace perch::http2
