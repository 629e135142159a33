// The server's side of one HTTP/1.1 or HTTP/1.0 connection (RFC 9112), without I/O: bytes and time
// in, events and bytes out. http::ServerSession is the contract; what HTTP/1.1 adds to it:
//
//  - Requests are answered in order, one at a time: while a response is under way, `receive` takes
//    nothing of the next request (a pipelined one stays with the owner). A body is taken up to a
//    window of bytes that the owner has not given back. `wants_input` tells when `receive` would
//    take something again; `on_output_ready` is also raised when `consumed` has made that true.
//  - A request that is not understood without any doubt gets an error response with
//    "Connection: close", and nothing behind it is ever looked at as a request: the rest of the
//    input is taken and dropped, and the session is `failed()`.
//  - Expect: the owner calls inform(100) when it wants the body. A response without it ends the
//    connection, since nobody can know whether the body will come.
//  - Upgrade fields are ignored. CONNECT is refused.
//
// Thread-safety: none; one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "perch/http/server_session.h"
#include "perch/http1/line_scanner.h"
#include "perch/http1/options.h"
#include "perch/memory/slab.h"

namespace perch::http1 {

class ChunkDecoder;
class Session;

// The one request that a session may have open.
class Stream final : public http::ServerStream {
 private:
  friend class Session;
  Stream() = default;
  ~Stream() = default;
};

class Session final : public http::ServerSession,
                      public memory::SlabAllocated,
                      private http::BodySource::ReadyHook {
 public:
  // `options` and `events` are borrowed for the session's life.
  Session(const SessionOptions& options, http::ServerEvents& events, Instant now);
  ~Session() override;  // an open stream ends without an event
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  std::size_t receive(std::span<const std::byte> input, Instant now) override;
  void receive_end() override;
  bool wants_input() const override;

  void produce(http::OutputQueue& out, std::size_t limit, http::DateValue date) override;
  bool wants_output() const override;

  void respond(http::ServerStream& stream, http::Response response) override;
  void inform(http::ServerStream& stream, int status) override;
  void consumed(http::ServerStream& stream, std::size_t bytes) override;
  // A handler outlives its stream only where the connection has ended: nothing is to be bounded.
  void set_lingering_handlers(std::uint32_t) override {}
  // The only wakes without a request are one empty line, and a head that must be complete in time.
  void note_useless_wake(Instant) override {}

  // The next response says "Connection: close".
  void announce_shutdown() override { announced_ = true; }
  // An idle connection ends at once, any other after the response under way.
  void shutdown() override;
  bool finished() const override { return input_ == Input::kEnded; }
  bool failed() const override { return failed_; }
  std::string_view failure() const override { return failure_; }
  // 408 where a request was under way and nothing of its response was sent.
  void fail_timeout(std::string_view what) override;
  void check_deadlines(Instant now) override;

  bool quiet() const override { return !stream_open_; }
  bool can_park() const override;
  void park(std::vector<std::byte>& record, Instant now) const override;
  // Null for a record that `park` cannot have made.
  static std::unique_ptr<Session> restore(std::span<const std::byte> record,
                                          const SessionOptions& options, http::ServerEvents& events,
                                          Instant now);
  const http::SessionCounters& counters() const override { return counters_; }

 private:
  // What the next byte of the input belongs to.
  enum class Input : std::uint8_t {
    kHead,
    kLengthBody,   // remaining_ bytes to come
    kChunkHeader,  // or the last chunk with its trailers
    kChunkData,    // remaining_ bytes to come
    kWaiting,      // the request is complete, its response is not
    kEnded,        // nothing more is looked at
  };
  // The response of the open stream.
  enum class Output : std::uint8_t { kNone, kHead, kBody, kBlocked };
  // The part of chunked framing whose line comes next.
  enum class ChunkLine : std::uint8_t { kDataEnd, kSize, kTrailer };
  enum class Framing : std::uint8_t { kLength, kChunked, kClose };

  // session_receive.cc
  std::size_t receive_some(std::span<const std::byte> input);
  std::size_t receive_body(std::span<const std::byte> input);
  std::size_t receive_framing(std::span<const std::byte> input);
  // Bytes of the head or chunk header that `text` begins with; 0 while it is not complete, or after
  // a failure.
  std::size_t scan_head(std::string_view text);
  std::size_t scan_chunk_header(std::string_view text);
  bool scan_chunk_line(std::string_view line, bool& complete);
  void take_head(std::span<const std::byte> text);
  void take_chunk_header(std::span<const std::byte> text);
  void begin_chunk_header(ChunkLine first);
  void drop_partial();
  void end_of_input();

  // session.cc
  void fail(int status, std::string_view what);
  void close_stream(http::StreamEnd end);
  void next_request();
  void end();
  bool discarding() const { return !stream_open_; }  // within a body
  std::size_t body_room() const;
  void on_body_ready() noexcept override;

  // session_send.cc
  void write_interim(http::OutputQueue& out);
  void write_error(http::OutputQueue& out, http::DateValue date);
  void write_head(http::OutputQueue& out, http::DateValue date);
  bool write_body(http::OutputQueue& out, std::size_t limit);
  void write_piece(Bytes data, http::OutputQueue& out);
  void write_last_chunk(http::OutputQueue& out);
  void body_failed(std::string_view what);
  bool must_close() const;
  void end_response();

  const SessionOptions& options_;
  http::ServerEvents& events_;

  // Input.
  std::unique_ptr<ChunkDecoder> chunks_;  // during a chunked body
  std::vector<std::byte> partial_;        // an incomplete head or chunk header
  std::uint64_t remaining_ = 0;           // of the body or of the chunk
  std::uint64_t body_received_ = 0;       // of a chunked body
  Instant now_;                           // of the last receive
  Instant partial_since_;                 // the first byte of partial_
  Instant period_started_;                // for the body's rate
  std::uint64_t period_bytes_ = 0;
  LineScanner lines_;                // of the head or chunk header
  std::uint32_t trailer_start_ = 0;  // in the last chunk
  std::uint32_t extension_bytes_ = 0;
  std::uint32_t unconsumed_ = 0;
  std::uint32_t discarded_ = 0;

  // Output.
  std::unique_ptr<http::BodySource> source_;
  Bytes body_;
  std::unique_ptr<http::Response> response_;            // until its head is written
  std::shared_ptr<const http::PreparedHead> prepared_;  // instead, where that is all of the head
  std::uint64_t body_left_ = 0;                         // with Framing::kLength

  std::string_view failure_;
  http::SessionCounters counters_;
  Stream stream_;
  std::uint16_t error_status_ = 0;    // an error response that waits to be written
  std::uint16_t interim_status_ = 0;  // one other than 100
  Input input_ = Input::kHead;
  Output output_ = Output::kNone;
  ChunkLine chunk_line_ = ChunkLine::kSize;
  Framing framing_ = Framing::kLength;

  bool stream_open_ : 1 = false;
  bool http11_ : 1 = false;
  bool head_request_ : 1 = false;
  bool keep_alive_ : 1 = false;        // the client's wish
  bool close_after_ : 1 = false;       // this response is the last
  bool expects_continue_ : 1 = false;  // and was not told to go on
  bool continue_pending_ : 1 = false;  // 100 waits to be written
  bool window_full_ : 1 = false;       // receive left bytes of a body
  bool input_left_ : 1 = false;        // receive left bytes
  bool input_ended_ : 1 = false;
  bool empty_line_seen_ : 1 = false;  // before the next request
  bool announced_ : 1 = false;
  bool shutdown_ : 1 = false;
  bool failed_ : 1 = false;
  bool producing_ : 1 = false;
};

}  // namespace perch::http1
