// How requests, and the connection, come to an end; the owner's answers; parking.
#include "perch/http1/session.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "http1/beast_parser.h"
#include "perch/base/check.h"

namespace perch::http1 {
namespace {

// The record of a parked session is one byte.
enum RecordBits : unsigned {
  kEmptyLineSeen = 0x01,
  kAnnounced = 0x02,
  kReserved = 0xfc,
};

}  // namespace

Session::Session(const SessionOptions& options, http::ServerEvents& events, Instant now)
    : options_(options), events_(events), now_(now) {}

Session::~Session() {
  if (source_ != nullptr) source_->set_ready_hook(nullptr);
}

// --- the owner's answers

void Session::respond(http::ServerStream& stream, http::Response response) {
  PERCH_CHECK(&stream == &stream_ && stream_open_ && output_ == Output::kNone);
  PERCH_CHECK(!std::holds_alternative<http::BodyProducer>(response.body()));
  const int status = response.status();
  const bool wants_body = !head_request_ && status != 204 && status != 304;
  if (auto* bytes = std::get_if<Bytes>(&response.body())) {
    body_ = std::move(*bytes);
  } else if (auto* source = std::get_if<std::unique_ptr<http::BodySource>>(&response.body())) {
    source_ = std::move(*source);
    if (source_ != nullptr && wants_body) source_->set_ready_hook(this);
  }
  if (response.prepared() != nullptr && response.fields().empty()) {
    prepared_ = response.prepared_shared();
  } else {
    response_ = std::make_unique<http::Response>(std::move(response));
  }
  output_ = Output::kHead;
  if (!producing_) events_.on_output_ready();
}

void Session::inform(http::ServerStream& stream, int status) {
  PERCH_CHECK(&stream == &stream_ && stream_open_ && output_ == Output::kNone);
  PERCH_CHECK(status >= 100 && status < 200 && status != 101);
  if (!http11_) return;  // RFC 9110 section 15.2: never to an HTTP/1.0 client
  if (status == 100) {
    continue_pending_ = true;
    expects_continue_ = false;
  } else {
    interim_status_ = static_cast<std::uint16_t>(status);
  }
  if (!producing_) events_.on_output_ready();
}

void Session::consumed(http::ServerStream& stream, std::size_t bytes) {
  PERCH_CHECK(&stream == &stream_ && stream_open_ && bytes <= unconsumed_);
  unconsumed_ -= static_cast<std::uint32_t>(bytes);
  // Not for every byte that is given back.
  if (!window_full_ || body_room() < std::max(options_.body_window_bytes / 4, 1U)) return;
  window_full_ = false;
  if (!producing_) events_.on_output_ready();
}

std::size_t Session::body_room() const {
  return options_.body_window_bytes - std::min(options_.body_window_bytes, unconsumed_);
}

void Session::on_body_ready() noexcept {
  if (output_ != Output::kBlocked) return;
  output_ = Output::kBody;
  if (!producing_) events_.on_output_ready();
}

// --- ends

void Session::fail(int status, std::string_view what) {
  if (input_ == Input::kEnded) return;
  // Only where nothing was sent that it would be taken for a part of, or for the answer to another
  // request.
  const bool unanswered =
      stream_open_ ? output_ == Output::kNone || output_ == Output::kHead : input_ == Input::kHead;
  failed_ = true;
  failure_ = what;
  ++counters_.stream_errors;
  end();
  if (unanswered) error_status_ = static_cast<std::uint16_t>(status);
  if (stream_open_) close_stream(http::StreamEnd::kFailed);
  if (!producing_) events_.on_output_ready();
}

void Session::close_stream(http::StreamEnd end) {
  stream_open_ = false;
  output_ = Output::kNone;
  if (source_ != nullptr) source_->set_ready_hook(nullptr);
  source_.reset();
  body_ = Bytes();
  response_.reset();
  prepared_.reset();
  unconsumed_ = 0;
  interim_status_ = 0;
  window_full_ = expects_continue_ = continue_pending_ = false;
  events_.on_stream_closed(stream_, end);
}

// The request and its response are complete.
void Session::next_request() {
  if (close_after_ || shutdown_ || (input_ended_ && !input_left_)) return end();
  input_ = Input::kHead;
}

void Session::end() {
  input_ = Input::kEnded;
  chunks_.reset();
  drop_partial();
}

void Session::shutdown() {
  shutdown_ = true;
  if (!stream_open_) end();
}

void Session::fail_timeout(std::string_view what) {
  // A client that waits for a response owes nothing.
  if (input_ == Input::kWaiting) return;
  if (input_ == Input::kHead && partial_.empty()) return shutdown();
  fail(408, what);
}

void Session::check_deadlines(Instant now) {
  const bool framing = input_ == Input::kHead || input_ == Input::kChunkHeader;
  if (framing && !partial_.empty() && now - partial_since_ >= options_.header_timeout) {
    return fail_timeout(input_ == Input::kHead ? "request head not complete in time"
                                               : "chunk header not complete in time");
  }
  const bool body =
      input_ == Input::kLengthBody || input_ == Input::kChunkData || input_ == Input::kChunkHeader;
  if (!body) return;
  if (!window_full_ && !expects_continue_) {
    if (now - period_started_ < options_.body_period) return;
    const auto seconds = std::chrono::duration<double>(now - period_started_).count();
    if (static_cast<double>(period_bytes_) < options_.body_bytes_per_second * seconds) {
      return fail_timeout("request body too slow");
    }
  }
  period_started_ = now;
  period_bytes_ = 0;
}

// --- parking

bool Session::can_park() const {
  return input_ == Input::kHead && partial_.empty() && !input_left_ && !input_ended_ &&
         !wants_output();
}

void Session::park(std::vector<std::byte>& record, Instant) const {
  PERCH_CHECK(can_park());
  const unsigned bits = (empty_line_seen_ ? kEmptyLineSeen : 0U) | (announced_ ? kAnnounced : 0U);
  record.push_back(static_cast<std::byte>(bits));
}

std::unique_ptr<Session> Session::restore(std::span<const std::byte> record,
                                          const SessionOptions& options, http::ServerEvents& events,
                                          Instant now) {
  if (record.size() != 1) return nullptr;
  const unsigned bits = std::to_integer<unsigned>(record.front());
  if ((bits & kReserved) != 0) return nullptr;
  auto session = std::make_unique<Session>(options, events, now);
  session->empty_line_seen_ = (bits & kEmptyLineSeen) != 0;
  session->announced_ = (bits & kAnnounced) != 0;
  return session;
}

}  // namespace perch::http1
