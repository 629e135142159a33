// The sending half of the session: responses to bytes.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "http1/beast_parser.h"
#include "http1/response_head.h"
#include "perch/base/check.h"
#include "perch/http1/session.h"

namespace perch::http1 {
namespace {

constexpr std::size_t kLargestPiece = 64 * 1024;
constexpr std::size_t kKeptScratchBytes = 16 * 1024;
constexpr std::string_view kLineEnd = "\r\n";

// Where a head is put together: one of a thread, so that no session keeps one.
std::string& empty_scratch() {
  thread_local std::string scratch;
  if (scratch.capacity() > kKeptScratchBytes) std::string().swap(scratch);
  scratch.clear();
  return scratch;
}

void append_number(std::string& text, std::uint64_t value, int base = 10) {
  char digits[20];
  text.append(digits, std::to_chars(digits, digits + sizeof(digits), value, base).ptr);
}

void append_length(std::string& text, std::uint64_t length) {
  text.append("content-length: ");
  append_number(text, length);
  text.append(kLineEnd);
}

void append_head_end(std::string& text, const SessionOptions& options, const FieldFacts& facts,
                     std::string_view date) {
  if (!facts.has_server && !options.server_name.empty()) {
    append_field(text, "server", options.server_name);
  }
  if (!facts.has_date && !date.empty()) append_field(text, "date", date);
  text.append(kLineEnd);
}

}  // namespace

bool Session::wants_output() const {
  return output_ == Output::kHead || output_ == Output::kBody || error_status_ != 0 ||
         continue_pending_ || interim_status_ != 0;
}

void Session::produce(http::OutputQueue& out, std::size_t limit, http::DateValue date) {
  producing_ = true;
  write_interim(out);
  if (error_status_ != 0) write_error(out, date);
  if (output_ == Output::kHead && out.pending_bytes() < limit) write_head(out, date);
  while (output_ == Output::kBody && out.pending_bytes() < limit) {
    if (!write_body(out, limit)) break;
  }
  producing_ = false;
}

void Session::write_interim(http::OutputQueue& out) {
  if (continue_pending_) out.append(as_bytes("HTTP/1.1 100 Continue\r\n\r\n"));
  continue_pending_ = false;
  if (interim_status_ == 0) return;
  std::string& text = empty_scratch();
  append_status_line(text, std::exchange(interim_status_, std::uint16_t{0}));
  text.append(kLineEnd);
  out.append(as_bytes(text));
}

void Session::write_error(http::OutputQueue& out, http::DateValue date) {
  std::string& text = empty_scratch();
  append_status_line(text, std::exchange(error_status_, std::uint16_t{0}));
  text.append("content-length: 0\r\nconnection: close\r\n");
  append_head_end(text, options_, {}, date.value);
  out.append(as_bytes(text));
}

void Session::write_head(http::OutputQueue& out, http::DateValue date) {
  const http::Response* response = response_.get();
  const http::PreparedHead* prepared = response != nullptr ? response->prepared() : prepared_.get();
  const int status = response != nullptr ? response->status() : prepared->status();
  const bool no_content = status == 204 || status == 304;
  const bool has_body = !no_content && !head_request_;

  std::string& text = empty_scratch();
  FieldFacts facts;
  if (prepared != nullptr) {
    const PreparedText& cached = prepared_text(*prepared);
    text.assign(cached.text);
    facts = cached.facts;
  } else {
    append_status_line(text, status);
  }
  if (response != nullptr) append_fields(text, response->fields(), status, facts);

  // What is known of the body that a GET would get.
  std::optional<std::uint64_t> length;
  if (source_ != nullptr) {
    length = source_->size();
  } else if (has_body || prepared == nullptr) {
    length = body_.size();
  }
  const bool mismatch =
      has_body && facts.length.has_value() && length.has_value() && facts.length != length;
  PERCH_DCHECK(facts.valid && !mismatch);
  if (!facts.valid || mismatch) {
    ++counters_.stream_errors;
    facts = FieldFacts{.length = 0, .close = true};
    source_.reset();
    body_ = Bytes();
    text.clear();
    append_status_line(text, 500);
    append_length(text, 0);
  } else if (facts.length.has_value()) {
    length = facts.length;
  } else if (length.has_value() && !no_content) {
    append_length(text, *length);
  }

  body_left_ = facts.length.value_or(length.value_or(0));
  framing_ = Framing::kLength;
  if (has_body && !facts.length.has_value() && !length.has_value()) {
    framing_ = http11_ ? Framing::kChunked : Framing::kClose;
  }
  close_after_ = facts.close || framing_ == Framing::kClose || must_close();
  if (framing_ == Framing::kChunked) text.append("transfer-encoding: chunked\r\n");
  if (close_after_) {
    text.append("connection: close\r\n");
  } else if (!http11_) {
    text.append("connection: keep-alive\r\n");
  }
  append_head_end(text, options_, facts, date.value);
  out.append(as_bytes(text));
  response_.reset();
  prepared_.reset();
  if (!has_body || (framing_ == Framing::kLength && body_left_ == 0)) return end_response();
  output_ = Output::kBody;
}

bool Session::must_close() const {
  if (!keep_alive_ || announced_ || shutdown_ || expects_continue_) return true;
  if (input_ended_ && !input_left_) return true;
  // Where the handler goes on with its response, it may well go on with the request.
  return source_ == nullptr && input_ == Input::kLengthBody && remaining_ > options_.discard_bytes;
}

// False when there is nothing more to be written now.
bool Session::write_body(http::OutputQueue& out, std::size_t limit) {
  std::size_t room = std::min(limit - out.pending_bytes(), kLargestPiece);
  if (framing_ == Framing::kLength) {
    room = static_cast<std::size_t>(std::min<std::uint64_t>(room, body_left_));
  }
  http::PullResult pulled{http::PullResult::Kind::kData, {}};
  if (source_ != nullptr) {
    pulled = source_->pull(room);
  } else {
    pulled.data = body_.take_front(std::min(room, body_.size()));
    pulled.last = body_.empty();
  }
  switch (pulled.kind) {
    case http::PullResult::Kind::kData:
      PERCH_CHECK(!pulled.data.empty() && pulled.data.size() <= room);
      write_piece(std::move(pulled.data), out);
      // Whatever the source has behind its declared length is not sent.
      if (!pulled.last && (framing_ != Framing::kLength || body_left_ > 0)) return true;
      break;
    case http::PullResult::Kind::kEnd:
      break;
    case http::PullResult::Kind::kBlocked:
      output_ = Output::kBlocked;
      return false;
    case http::PullResult::Kind::kFailed:
      body_failed("response body failed");
      return false;
  }
  if (framing_ == Framing::kLength && body_left_ > 0) {
    body_failed("response body shorter than its length");
    return false;
  }
  if (framing_ == Framing::kChunked) write_last_chunk(out);
  end_response();
  return false;
}

void Session::write_piece(Bytes data, http::OutputQueue& out) {
  if (framing_ == Framing::kLength) body_left_ -= data.size();
  if (framing_ != Framing::kChunked) return out.append(std::move(data));
  std::string& text = empty_scratch();
  append_number(text, data.size(), 16);
  text.append(kLineEnd);
  out.append(as_bytes(text));
  out.append(std::move(data));
  out.append(as_bytes(kLineEnd));
}

void Session::write_last_chunk(http::OutputQueue& out) {
  std::string& text = empty_scratch();
  text.append("0\r\n");
  const http::Fields* trailers = source_ != nullptr ? source_->trailers() : nullptr;
  if (trailers != nullptr) {
    FieldFacts facts;
    std::string fields;
    append_fields(fields, *trailers, 0, facts);
    const bool sent = facts.valid && !facts.length.has_value();
    PERCH_DCHECK(sent);
    if (sent) text.append(fields);
  }
  text.append(kLineEnd);
  out.append(as_bytes(text));
}

// The client sees that the body is cut: less than its length, or no last chunk.
void Session::body_failed(std::string_view what) {
  failed_ = true;
  failure_ = what;
  ++counters_.stream_errors;
  end();
  close_stream(http::StreamEnd::kReset);
}

void Session::end_response() {
  close_stream(http::StreamEnd::kComplete);
  if (input_ == Input::kWaiting) return next_request();
  const bool too_much = input_ == Input::kLengthBody && remaining_ > options_.discard_bytes;
  if (close_after_ || shutdown_ || too_much) return end();
  // What is left of the request is not wanted, but must be passed over.
  period_started_ = now_;
  period_bytes_ = 0;
}

}  // namespace perch::http1
