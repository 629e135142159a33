// From the socket to the engine.
#include <cstring>
#include <utility>

#include "perch/base/check.h"
#include "perch/http1/session.h"
#include "perch/http2/frame.h"
#include "perch/http2/session.h"
#include "server/connection.h"
#include "server/server_worker.h"
#include "server/shared_state.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

constexpr int kReadsPerTurn = 16;  // before other connections get their turn
// Output that waits for a peer that takes none; as long as there is more, nothing is read.
constexpr std::size_t kMostBlockedBytes = 512 * 1024;
// As much of HTTP/2's preface as no method of HTTP/1.1 begins with.
constexpr std::string_view kPrefaceStart = http2::kClientPreface.substr(0, 4);

}  // namespace

bool Connection::may_read() const {
  return waiting_.empty() && (session_ == nullptr || session_->wants_input()) &&
         (blocked_ == nullptr || blocked_->pending_bytes() < kMostBlockedBytes);
}

bool Connection::read() {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    if (input_ended_) return true;
    if (!may_read()) {
      read_paused_ = true;
      return true;
    }
    const std::span<std::byte> space = input_space();
    const IoOutcome outcome = read_socket(fd_, space);
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) return true;
    if (outcome.kind == IoOutcome::Kind::kBroken) return false;
    if (outcome.kind == IoOutcome::Kind::kEnd) {
      on_end_of_input();
      return true;
    }
    take_bytes(space.first(outcome.bytes));
    if (session_ != nullptr && session_->failed()) return true;
    // A short read has emptied the socket, unless the end is behind it and its event is this one.
    if (outcome.bytes < space.size() && !peer_closed_) return true;
  }
  more_to_read_ = true;
  return true;
}

void Connection::on_end_of_input() {
  input_ended_ = true;
  if (session_ != nullptr) session_->receive_end();
}

std::span<std::byte> Connection::input_space() {
  if (tls_ != nullptr || !partial_) return worker_.read_buffer();
  return partial_.span().subspan(partial_size_);
}

void Connection::take_bytes(std::span<const std::byte> bytes) {
  worker_.touch(*this);
  moved_ = true;
  if (tls_ != nullptr) return take_ciphertext(bytes);
  take_input(bytes);
}

// --- TLS

void Connection::take_ciphertext(std::span<const std::byte> ciphertext) {
  using State = tls::Connection::State;
  const bool fresh = !tls_->mid_record();
  deciphered_ = false;
  tls_->receive(ciphertext, *this, worker_.sealed());
  if (fresh || deciphered_) record_since_ = now();
  if (handshaking_ && tls_->state() != State::kHandshaking && tls_->state() != State::kFailed) {
    end_handshake();
  }
  if (tls_->state() == State::kPeerClosed && !input_ended_) on_end_of_input();
  if (tls_->state() != State::kFailed || input_ended_) return;
  if (tls_->failure()->in_clear) {
    say_in_clear(
        "HTTP/1.1 400 Bad Request\r\n"
        "content-type: text/plain; charset=utf-8\r\n"
        "connection: close\r\n"
        "content-length: 51\r\n"
        "\r\n"
        "This port speaks TLS: the URL begins with https://\n");
  }
  on_end_of_input();
}

void Connection::end_handshake() {
  handshaking_ = false;
  worker_.handshake_ended();
  worker_.counters().handshakes.add();
  if (tls_->resumed()) worker_.counters().resumptions.add();
  start_engine(tls_->alpn() != "h2");
}

void Connection::on_plaintext(std::span<const std::byte> plaintext) {
  deciphered_ = true;
  // The client's first record may come with its last message of the handshake.
  if (handshaking_) end_handshake();
  take_input(plaintext);
}

// --- the engine

void Connection::start_engine(bool http1) {
  const SharedState& shared = worker_.shared();
  http::ServerEvents& events = *this;
  http1_ = http1;
  if (http1) {
    session_ =
        std::make_unique<http1::Session>(shared.http1_options(tls_ != nullptr), events, now());
  } else {
    session_ = std::make_unique<http2::Session>(shared.options.http2, events, now());
  }
  if (worker_.drain_step() != DrainStep::kServing) session_->announce_shutdown();
}

// In clear the first bytes tell; false while they may be either.
bool Connection::choose_engine(std::span<const std::byte> input) {
  const std::string_view start = as_text(input).substr(0, kPrefaceStart.size());
  const bool http2 = kPrefaceStart.starts_with(start);
  if (http2 && start.size() < kPrefaceStart.size()) return false;
  start_engine(!http2);
  return true;
}

// `input` may lie in partial_ already, behind what is there.
void Connection::take_input(std::span<const std::byte> input) {
  if (!waiting_.empty()) {
    waiting_.bytes.insert(waiting_.bytes.end(), input.begin(), input.end());
    return;
  }
  if (partial_) {
    std::byte* const end = partial_.data() + partial_size_;
    PERCH_CHECK(partial_size_ + input.size() <= partial_.size());
    if (input.data() != end) std::memcpy(end, input.data(), input.size());
    partial_size_ += input.size();
    input = partial_.span().first(partial_size_);
  }
  if (session_ == nullptr && !choose_engine(input)) return keep_input(input, false);
  const std::size_t used = session_->receive(input, now());
  keep_input(input.subspan(used), used > 0);
}

// What the engine left: an incomplete frame behind the last whole one, whose deadline runs from its
// first byte, or what it does not want yet.
void Connection::keep_input(std::span<const std::byte> rest, bool progressed) {
  const bool unwanted = session_ != nullptr && !session_->wants_input();
  if (rest.empty() || unwanted) {
    waiting_.bytes.assign(rest.begin(), rest.end());
    partial_.reset();
    partial_size_ = 0;
    return;
  }
  if (progressed || !partial_) partial_since_ = now();
  if (!partial_) {
    partial_ = worker_.input_buffers().take();
    PERCH_CHECK(rest.size() < partial_.size());
  }
  std::memmove(partial_.data(), rest.data(), rest.size());
  partial_size_ = rest.size();
}

// True when the engine took something.
bool Connection::feed_waiting() {
  if (waiting_.empty() || !session_->wants_input()) return false;
  const auto rest = std::span<const std::byte>(waiting_.bytes).subspan(waiting_.used);
  const std::size_t used = session_->receive(rest, now());
  waiting_.used += used;
  if (waiting_.used == waiting_.bytes.size()) waiting_ = {};
  return used > 0;
}

}  // namespace perch::server
