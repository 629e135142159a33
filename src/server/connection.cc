#include "server/connection.h"

#include <cstring>
#include <utility>
#include <variant>

#include "perch/base/check.h"
#include "perch/task/spawn.h"
#include "server/server_worker.h"
#include "server/shared_state.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

// Bytes gathered for one write, and writes and reads made before other connections get their turn.
constexpr std::size_t kBatchBytes = 128 * 1024;
constexpr int kWritesPerTurn = 16;
constexpr int kReadsPerTurn = 16;

constexpr std::string_view kHttp1Refusal =
    "HTTP/1.1 505 HTTP Version Not Supported\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Connection: close\r\n"
    "Content-Length: 113\r\n"
    "\r\n"
    "This port speaks HTTP/2 with prior knowledge only, without TLS:\n"
    "  curl --http2-prior-knowledge http://HOST:PORT/\n";

}  // namespace

Connection::Connection(ServerWorker& worker, std::uint32_t slot, int fd)
    : last_active(worker.now()),
      worker_(worker),
      session_(std::make_unique<http2::Session>(
          worker.shared().options.http2, static_cast<http2::SessionEvents&>(*this), worker.now())),
      slot_(slot),
      fd_(fd) {}

Connection::Connection(ServerWorker& worker, std::uint32_t slot, int fd,
                       std::span<const std::byte> record)
    : last_active(worker.now()),
      worker_(worker),
      session_(http2::Session::restore(record, worker.shared().options.http2, *this, worker.now())),
      slot_(slot),
      fd_(fd) {}

Connection::~Connection() {
  exchanges_.for_each([](Exchange& exchange) { exchange.on_connection_closed(); });
  if (session_ != nullptr) {
    worker_.counters().stream_errors.add(session_->counters().stream_errors);
  }
}

// --- work

Disposition Connection::on_io(net::IoEvents events, std::span<const std::byte> first_input) {
  const bool ended = events.has(net::kPeerClosed | net::kHangup | net::kError);
  peer_closed_ |= ended;
  return work(ended || events.has(net::kReadable), first_input);
}

Disposition Connection::on_wake(net::IoEvents events, std::span<const std::byte> first_input) {
  woken_ = true;
  return on_io(events, first_input);
}

// Not at the wake itself: its bytes may be the first part of a request.
Disposition Connection::end_wake() {
  if (!std::exchange(woken_, false) || saw_request()) return Disposition::kKeep;
  session_->note_useless_wake(worker_.now());
  return session_->failed() ? work(false, {}) : Disposition::kKeep;
}

void Connection::run_deferred(task::Deferred& deferred) noexcept {
  auto& self = static_cast<TurnEnd&>(deferred).owner;
  self.worker_.act_on(self, self.work(std::exchange(self.more_to_read_, false), {}));
}

Disposition Connection::work(bool read_first, std::span<const std::byte> first_input) {
  working_ = true;
  if (!first_input.empty()) take_input(first_input);
  const bool open = !read_first || read();
  if (session_->saw_http1_request()) return refuse_http1();
  const Progress progress = write();
  working_ = false;
  if (progress == Progress::kBroken || !open) return Disposition::kClose;
  if (progress == Progress::kMore || more_to_read_) worker_.defer(turn_end_);
  if (progress != Progress::kDone || !session_->finished()) return Disposition::kKeep;
  if (session_->failed()) {
    worker_.counters().connection_errors.add();
    worker_.shared().log(LogLevel::kDebug, session_->failure());
  }
  return Disposition::kLinger;
}

Disposition Connection::refuse_http1() {
  http2::OutputQueue answer;
  answer.append(as_bytes(kHttp1Refusal));
  worker_.counters().connection_errors.add();
  return write_socket(fd_, answer).kind == IoOutcome::Kind::kBytes ? Disposition::kLinger
                                                                   : Disposition::kClose;
}

Disposition Connection::announce_shutdown() {
  session_->announce_shutdown();
  return work(false, {});
}

Disposition Connection::shutdown() {
  session_->shutdown();
  return work(false, {});
}

Disposition Connection::check(Instant now) {
  const ServerOptions& options = worker_.shared().options;
  if (blocked_ != nullptr) {
    // The kernel tells of room only when much of its buffer is free again; what a slow reader has
    // taken since shows in what the socket takes now.
    if (const Disposition disposition = work(false, {}); disposition != Disposition::kKeep) {
      return disposition;
    }
  }
  if (stalled(now)) {
    worker_.counters().connection_errors.add();
    return Disposition::kClose;
  }
  session_->check_deadlines(now);
  if (partial_ && now - partial_since_ >= options.partial_frame_timeout) {
    session_->fail(http2::ErrorCode::kEnhanceYourCalm, "frame not complete in time");
  }
  if (idle() && exchanges_.empty() && now - last_active >= options.idle_timeout) {
    session_->shutdown();
  }
  return session_->wants_output() || session_->failed() ? work(false, {}) : Disposition::kKeep;
}

// Output waits, and in a whole period too little of it was taken.
bool Connection::stalled(Instant now) {
  const ServerOptions& options = worker_.shared().options;
  if (blocked_ == nullptr || now - stall_started_ < options.write_stall_timeout) return false;
  const auto seconds = std::chrono::duration<double>(now - stall_started_).count();
  const auto least = static_cast<double>(options.minimum_rate) * seconds;
  if (stall_bytes_ == 0 || static_cast<double>(stall_bytes_) < least) return true;
  stall_started_ = now;
  stall_bytes_ = 0;
  return false;
}

bool Connection::can_park() const {
  return session_->can_park() && !partial_ && blocked_ == nullptr && exchanges_.empty() &&
         !turn_end_.is_linked() && !peer_closed_;
}

// --- input

bool Connection::read() {
  for (int reads = 0; reads < kReadsPerTurn; ++reads) {
    const std::span<std::byte> space = input_space();
    const IoOutcome outcome = read_socket(fd_, space);
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) return true;
    if (outcome.kind != IoOutcome::Kind::kBytes) return false;
    take_input(space.first(outcome.bytes));
    if (session_->failed()) return true;
    // A short read has emptied the socket, unless the end is behind it and its event is this one.
    if (outcome.bytes < space.size() && !peer_closed_) return true;
  }
  more_to_read_ = true;
  return true;
}

std::span<std::byte> Connection::input_space() {
  return partial_ ? partial_.span().subspan(partial_size_) : worker_.read_buffer();
}

void Connection::take_input(std::span<const std::byte> input) {
  worker_.touch(*this);
  if (partial_) {
    partial_size_ += input.size();
    input = partial_.span().first(partial_size_);
  }
  const std::size_t used = session_->receive(input, worker_.now());
  keep_input(input.subspan(used), used > 0);
}

// The incomplete frame behind the last whole one. Its deadline runs from its first byte.
void Connection::keep_input(std::span<const std::byte> rest, bool progressed) {
  if (rest.empty()) {
    partial_.reset();
    partial_size_ = 0;
    return;
  }
  if (progressed || !partial_) partial_since_ = worker_.now();
  if (!partial_) {
    partial_ = worker_.input_buffers().take();
    PERCH_CHECK(rest.size() < partial_.size());
  }
  std::memmove(partial_.data(), rest.data(), rest.size());
  partial_size_ = rest.size();
}

// --- output

Connection::Progress Connection::write() {
  DateClock& date = worker_.date();
  for (int writes = 0; writes < kWritesPerTurn; ++writes) {
    if (blocked_ != nullptr) {
      const Progress progress = write_queue(*blocked_);
      if (progress != Progress::kDone) return progress;
      blocked_.reset();
      worker_.touch(*this);
    }
    if (!session_->wants_output()) return all_written();
    http2::OutputQueue& queue = worker_.output();
    date.update(worker_.now());
    session_->produce(queue, kBatchBytes, date.text(), date.epoch());
    if (queue.empty()) return all_written();
    const Progress progress = write_queue(queue);
    if (progress == Progress::kBroken) queue.clear();
    if (progress == Progress::kBlocked) {
      blocked_ = std::make_unique<http2::OutputQueue>(std::exchange(queue, {}));
      if (stall_started_ == Instant()) {
        stall_started_ = worker_.now();
        stall_bytes_ = 0;
      }
    }
    if (progress != Progress::kDone) return progress;
    queue.shrink();
  }
  return Progress::kMore;
}

// Only this ends a write-stall period early: a batch that was taken, with the next one waiting,
// says nothing about the rate.
Connection::Progress Connection::all_written() {
  stall_started_ = Instant();
  return Progress::kDone;
}

Connection::Progress Connection::write_queue(http2::OutputQueue& queue) {
  while (!queue.empty()) {
    const IoOutcome outcome = write_socket(fd_, queue);
    if (outcome.kind == IoOutcome::Kind::kBroken) return Progress::kBroken;
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) return Progress::kBlocked;
    stall_bytes_ += outcome.bytes;
  }
  return Progress::kDone;
}

// --- the session's events

void Connection::on_request(http2::Stream& stream, http::RequestHeadPtr head, bool end_stream) {
  worker_.counters().requests.add();
  const SharedState& server = worker_.shared();
  if (!end_stream) {
    if (head->fields.get("expect") == "100-continue") session_->inform(stream, 100);
    return Exchange::create(*this, stream).start(std::move(head));
  }
  task::JoinHandle<http::Response> handler =
      task::start(server.router.route(http::Request(std::move(head))));
  if (!handler.done()) return Exchange::create(*this, stream).wait_for(std::move(handler));
  http::Response response = take_response(handler, server);
  if (std::holds_alternative<http::BodyProducer>(response.body())) {
    return Exchange::create(*this, stream).respond(std::move(response));
  }
  session_->respond(stream, std::move(response));
}

void Connection::on_body(http2::Stream& stream, std::span<const std::byte> data, bool end_stream) {
  static_cast<Exchange*>(stream.context)->on_body(data, end_stream);
}

void Connection::on_trailers(http2::Stream& stream, http::Fields trailers) {
  static_cast<Exchange*>(stream.context)->on_trailers(std::move(trailers));
}

void Connection::on_stream_closed(http2::Stream& stream, http2::ErrorCode reason) {
  auto* exchange = static_cast<Exchange*>(stream.context);
  if (exchange != nullptr) exchange->on_stream_closed(reason);
}

void Connection::on_output_ready() {
  if (!working_) worker_.defer(turn_end_);
}

void Connection::handler_lingers() { session_->set_lingering_handlers(++lingering_handlers_); }

void Connection::lingering_handler_ended() {
  session_->set_lingering_handlers(--lingering_handlers_);
}

}  // namespace perch::server
