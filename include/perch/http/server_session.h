// What every HTTP version's protocol engine offers the server: bytes and time in, events and bytes
// out, no I/O. http2::Session and http1::Session are such engines.
//
// Use: feed `receive`, answer the events with `respond`, then `produce` and write until nothing is
// left. A session between requests can become a short record (`park`) and come back; no client can
// tell the difference.
//
// Thread-safety: none; one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "perch/base/clock.h"
#include "perch/http/output_queue.h"
#include "perch/http/request.h"
#include "perch/http/response.h"

namespace perch::http {

// One request and its response within a session. Owned by the session; dies right after
// `on_stream_closed`.
class ServerStream {
 public:
  ServerStream(const ServerStream&) = delete;
  ServerStream& operator=(const ServerStream&) = delete;

  // The owner's; null until set.
  void* context = nullptr;

 protected:
  ServerStream() = default;
  ~ServerStream() = default;
};

// How a stream ended.
enum class StreamEnd : std::uint8_t {
  kComplete,  // its response was written whole
  kReset,     // the peer gave it up, or this side did
  kFailed,    // an error of the peer's or of the connection
};

// Called from inside `receive` and `produce`; may call `respond`, `inform`, `reset` and `consumed`,
// and nothing else of the session.
class ServerEvents {
 public:
  // A request's head is complete; where not `end_stream`, its body follows.
  virtual void on_request(ServerStream& stream, RequestHeadPtr head, bool end_stream) = 0;
  // More of the body. The bytes live until the call returns; each must be given back once with
  // `consumed`, now or later. Raised with no bytes only for the end.
  virtual void on_body(ServerStream& stream, std::span<const std::byte> data, bool end_stream) = 0;
  // The body ended with trailers.
  virtual void on_trailers(ServerStream& stream, Fields trailers) = 0;
  virtual void on_stream_closed(ServerStream& stream, StreamEnd end) = 0;
  // A stream that was blocked may produce again: call `produce` soon.
  virtual void on_output_ready() = 0;

 protected:
  ~ServerEvents() = default;
};

// The Date field's value, 29 characters; `epoch` changes whenever it does.
struct DateValue {
  std::string_view value;
  std::uint32_t epoch;
};

struct SessionCounters {  // of one session since it was made or restored
  std::uint64_t requests = 0;
  std::uint64_t stream_errors = 0;
};

class ServerSession {
 public:
  virtual ~ServerSession() = default;

  // Consumes what it can from the front of `input` and returns how many bytes those were; call
  // again with what is left and more behind it. Never needs more than 32,000 bytes to go on.
  virtual std::size_t receive(std::span<const std::byte> input, Instant now) = 0;
  // `receive` would take something. False only while a response must come first; then
  // `on_output_ready` tells when it has become true.
  virtual bool wants_input() const = 0;
  // The peer has shut its side down: no more input will come.
  virtual void receive_end() = 0;

  // Appends to `out` until about `limit` bytes are pending there or nothing is ready.
  virtual void produce(OutputQueue& out, std::size_t limit, DateValue date) = 0;
  virtual bool wants_output() const = 0;

  // Ends the request with this response. The body is Bytes or a BodySource, never a BodyProducer.
  // REQUIRES: the stream is not closed and has no response yet.
  virtual void respond(ServerStream& stream, Response response) = 0;
  // An interim response without fields, such as 100. REQUIRES: as respond.
  virtual void inform(ServerStream& stream, int status) = 0;
  // The owner is done with `bytes` of a request's body.
  virtual void consumed(ServerStream& stream, std::size_t bytes) = 0;
  // Handlers that still run although their streams were reset; they count as open streams.
  virtual void set_lingering_handlers(std::uint32_t count) = 0;
  // Whatever arrived first after a restore was not a request.
  virtual void note_useless_wake(Instant now) = 0;

  // Graceful end, first step: the client is told; new requests are still served.
  virtual void announce_shutdown() = 0;
  // Second step: what is open is finished, nothing new is served.
  virtual void shutdown() = 0;
  // All was said: once the output is written the connection can be closed.
  virtual bool finished() const = 0;
  // The connection ends by an error; `failure` says why, in static text.
  virtual bool failed() const = 0;
  virtual std::string_view failure() const = 0;
  // An error that the owner found, such as an input that is not complete in time.
  virtual void fail_timeout(std::string_view what) = 0;
  virtual void check_deadlines(Instant now) = 0;

  virtual bool quiet() const = 0;  // no stream is open
  virtual bool can_park() const = 0;
  // Appends the record. REQUIRES: can_park().
  virtual void park(std::vector<std::byte>& record, Instant now) const = 0;
  virtual const SessionCounters& counters() const = 0;
};

}  // namespace perch::http
