#include "server/connection.h"

#include <cstring>
#include <utility>
#include <variant>

#include "perch/base/ascii.h"
#include "perch/base/check.h"
#include "perch/http1/session.h"
#include "perch/http2/session.h"
#include "perch/task/spawn.h"
#include "server/server_worker.h"
#include "server/shared_state.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

// A secure connection's record begins with the address of its tls::Connection.
constexpr std::size_t kTlsBytes = sizeof(tls::Connection*);

task::Task<http::Response> misdirected_request() { co_return http::Response::error(421); }

// Of the worker's loop, for handlers of a peer that has said its last.
constexpr std::uint8_t kStillTurns = 4;

std::unique_ptr<tls::Connection> tls_of(std::span<const std::byte> record) {
  tls::Connection* connection = nullptr;
  std::memcpy(&connection, record.data(), kTlsBytes);
  return std::unique_ptr<tls::Connection>(connection);
}

}  // namespace

Connection::Connection(ServerWorker& worker, std::uint32_t index, const Slot& slot)
    : last_active(worker.now()),
      worker_(worker),
      opened_(worker.now()),
      slot_(index),
      fd_(slot.fd) {
  if (!slot.secure) return;
  tls_ = std::make_unique<tls::Connection>(worker.tls_context());
  handshaking_ = true;
  worker.handshake_began();
}

Connection::Connection(ServerWorker& worker, std::uint32_t index, const Slot& slot,
                       std::span<const std::byte> record)
    : last_active(worker.now()),
      worker_(worker),
      opened_(worker.now()),
      slot_(index),
      fd_(slot.fd),
      http1_(slot.http1) {
  if (slot.secure) {
    tls_ = tls_of(record);
    record = record.subspan(kTlsBytes);
  }
  const SharedState& shared = worker.shared();
  if (http1_) {
    session_ = http1::Session::restore(record, shared.http1_options(slot.secure), *this, now());
  } else {
    session_ = http2::Session::restore(record, shared.options.http2, *this, now());
  }
  valid_ = session_ != nullptr;
}

Connection::~Connection() {
  exchanges_.for_each([](Exchange& exchange) { exchange.on_connection_closed(); });
  if (session_ != nullptr) {
    worker_.counters().stream_errors.add(session_->counters().stream_errors);
  }
  if (handshaking_) {
    worker_.counters().failed_handshakes.add();
    worker_.handshake_ended();
  }
}

Instant Connection::now() const { return worker_.now(); }

// --- parking

bool Connection::can_park() const {
  return session_ != nullptr && session_->can_park() && !partial_ && waiting_.empty() &&
         blocked_ == nullptr && exchanges_.empty() && !turn_end_.is_linked() && !peer_closed_ &&
         !input_ended_ && !read_paused_ && (tls_ == nullptr || !tls_->mid_record());
}

void Connection::park(std::vector<std::byte>& record) {
  if (tls_ != nullptr) {
    tls::Connection* owned = tls_.release();
    record.resize(record.size() + kTlsBytes);
    std::memcpy(record.data() + record.size() - kTlsBytes, &owned, kTlsBytes);
  }
  session_->park(record, now());
}

void Connection::drop_parked(std::span<const std::byte> secure_record) { tls_of(secure_record); }

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
  session_->note_useless_wake(now());
  return session_->failed() ? work(false, {}) : Disposition::kKeep;
}

void Connection::run_deferred(task::Deferred& deferred) noexcept {
  auto& self = static_cast<TurnEnd&>(deferred).owner;
  self.worker_.act_on(self, self.work(std::exchange(self.more_to_read_, false), {}));
}

Disposition Connection::work(bool read_first, std::span<const std::byte> first_input) {
  working_ = true;
  if (!first_input.empty()) take_bytes(first_input);
  const bool intact = !read_first || read();
  const Disposition disposition = intact ? after_output(write()) : Disposition::kClose;
  worker_.sealed().clear();
  working_ = false;
  return disposition;
}

Disposition Connection::after_output(Progress progress) {
  if (progress == Progress::kBroken) return Disposition::kClose;
  if (read_paused_ && may_read()) {
    read_paused_ = false;
    more_to_read_ = true;
  }
  if (progress == Progress::kMore || more_to_read_) worker_.defer(turn_end_);
  if (progress != Progress::kDone) return Disposition::kKeep;
  if (tls_ != nullptr && tls_->state() == tls::Connection::State::kFailed) return end();
  if (session_ != nullptr && session_->finished()) return end();
  if (worker_.drain_step() >= DrainStep::kFinal && saw_request() && idle()) {
    // It was still opening when the others were told.
    session_->shutdown();
    return after_output(write());
  }
  if (!input_ended_ && !(peer_closed_ && read_paused_)) return Disposition::kKeep;
  // A peer that has closed its side gets all that can be said without waiting, and no more: it
  // cannot be told from one that has gone, and a handler should not wait for nobody. Handlers that
  // are only on their way get some turns.
  still_turns_ = std::exchange(moved_, false) ? 0 : static_cast<std::uint8_t>(still_turns_ + 1);
  if (exchanges_.empty() || still_turns_ > kStillTurns) return end();
  worker_.defer(turn_end_);
  return Disposition::kKeep;
}

Disposition Connection::end() {
  if (tls_ != nullptr && tls_->failure()) {
    worker_.shared().log(LogLevel::kDebug, tls_->failure()->reason);
    if (!handshaking_) worker_.counters().connection_errors.add();
  } else if (session_ != nullptr && session_->failed()) {
    worker_.counters().connection_errors.add();
    worker_.shared().log(LogLevel::kDebug, session_->failure());
  }
  if (tls_ != nullptr) {
    tls_->close(worker_.sealed());
    static_cast<void>(write_sealed());
  }
  return Disposition::kLinger;
}

Disposition Connection::announce_shutdown() {
  if (session_ == nullptr) return Disposition::kKeep;
  session_->announce_shutdown();
  return work(false, {});
}

Disposition Connection::shutdown() {
  // One that is still opening has a request on its way, and gets its answer: see after_output.
  if (session_ == nullptr) return Disposition::kKeep;
  session_->shutdown();
  return work(false, {});
}

// --- deadlines

Disposition Connection::check(Instant now) {
  const ServerOptions& options = worker_.shared().options;
  if (blocked_ != nullptr) {
    // The kernel tells of room only when much of its buffer is free again; what a slow reader has
    // taken since shows in what the socket takes now.
    if (const Disposition disposition = work(false, {}); disposition != Disposition::kKeep) {
      return disposition;
    }
  }
  const bool slow_record = session_ != nullptr && tls_ != nullptr && tls_->mid_record() &&
                           now - record_since_ >= options.partial_frame_timeout;
  if (stalled(now) || overdue_opening(now) || slow_record) {
    worker_.counters().connection_errors.add();
    return Disposition::kClose;
  }
  if (session_ == nullptr) return Disposition::kKeep;
  session_->check_deadlines(now);
  if (partial_ && now - partial_since_ >= options.partial_frame_timeout) {
    session_->fail_timeout("frame not complete in time");
  }
  if (idle() && now - last_active >= worker_.shared().idle_timeout(http1_)) session_->shutdown();
  const bool news = session_->wants_output() || session_->failed() || session_->finished();
  return news ? work(false, {}) : Disposition::kKeep;
}

bool Connection::idle() const {
  return session_->quiet() && blocked_ == nullptr && exchanges_.empty();
}

// No engine in time: a handshake, or first bytes, that come too slowly.
bool Connection::overdue_opening(Instant now) const {
  if (session_ != nullptr) return false;
  const ServerOptions& options = worker_.shared().options;
  const Duration limit = tls_ != nullptr ? options.handshake_timeout : options.http1.header_timeout;
  return now - opened_ >= limit;
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

// --- the engine's events

void Connection::on_request(http::ServerStream& stream, http::RequestHeadPtr head,
                            bool end_stream) {
  worker_.counters().requests.add();
  // Whatever the client calls it: what is done for secure requests is done for these.
  const std::string_view scheme = tls_ != nullptr ? "https" : "http";
  if (head->scheme != scheme) head->scheme = scheme;
  const SharedState& server = worker_.shared();
  if (!end_stream || server.options.access_log) {
    return Exchange::create(*this, stream).start(std::move(head), end_stream);
  }
  task::JoinHandle<http::Response> handler = task::start(route(http::Request(std::move(head))));
  if (!handler.done()) return Exchange::create(*this, stream).wait_for(std::move(handler));
  http::Response response = take_response(handler, server);
  if (std::holds_alternative<http::BodyProducer>(response.body())) {
    return Exchange::create(*this, stream).respond(std::move(response));
  }
  session_->respond(stream, std::move(response));
}

task::Task<http::Response> Connection::route(http::Request request) const {
  if (misdirected(request.authority())) return misdirected_request();
  return worker_.shared().router.route(std::move(request));
}

// RFC 9110 section 15.5.20: what was asked for by another name than the certificate shown is good
// for, on a connection that was opened for one. Whoever named none (an address, say) is served.
bool Connection::misdirected(std::string_view authority) const {
  if (tls_ == nullptr || authority.empty()) return false;
  const std::string_view opened_for = tls_->server_name();
  if (opened_for.empty()) return false;
  const std::string_view host = authority.substr(0, authority.rfind(':'));
  return !equal_ignoring_case(host, opened_for) && !tls_->certificate_covers(authority);
}

void Connection::on_body(http::ServerStream& stream, std::span<const std::byte> data,
                         bool end_stream) {
  static_cast<Exchange*>(stream.context)->on_body(data, end_stream);
}

void Connection::on_trailers(http::ServerStream& stream, http::Fields trailers) {
  static_cast<Exchange*>(stream.context)->on_trailers(std::move(trailers));
}

void Connection::on_stream_closed(http::ServerStream& stream, http::StreamEnd end) {
  worker_.touch(*this);  // the idle time begins with the response's end
  // HTTP/1.1 uses its stream again.
  auto* exchange = static_cast<Exchange*>(std::exchange(stream.context, nullptr));
  if (exchange != nullptr) exchange->on_stream_closed(end);
}

void Connection::on_output_ready() {
  if (!working_) worker_.defer(turn_end_);
}

// While it can still be asked: not once the peer has reset the connection.
void Connection::note_peer() {
  if (peer_ == nullptr) peer_ = std::make_unique<std::string>(peer_address(fd_));
}

void Connection::describe(AccessRecord& record) const {
  if (peer_ != nullptr) record.remote = *peer_;
  record.version = http1_ ? "HTTP/1.1" : "HTTP/2.0";
  if (tls_ == nullptr) return;
  record.tls_version = tls_->version() == tls::Version::kTls13 ? "TLSv1.3" : "TLSv1.2";
  record.tls_cipher = tls_->cipher();
}

void Connection::handler_lingers() { session_->set_lingering_handlers(++lingering_handlers_); }

void Connection::lingering_handler_ended() {
  session_->set_lingering_handlers(--lingering_handlers_);
}

}  // namespace perch::server
