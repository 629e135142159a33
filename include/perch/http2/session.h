// The server's side of one HTTP/2 connection (RFC 9113), without I/O: bytes and time in, events and
// bytes out. Field compression is RFC 7541, priorities are RFC 9218 hints.
//
// Use: feed `receive`, answer the events it raises with `respond`, then `produce` and write until
// there is nothing left. A session between requests can be turned into a short record with `park`
// and brought back with `restore`; no peer can tell the difference.
//
// Errors: what a peer does wrong ends the smallest scope that RFC 9113 allows. A stream error sends
// RST_STREAM and raises `on_stream_closed`; a connection error queues GOAWAY, closes all streams
// and leaves the session in `failed()`: flush, then close the connection.
//
// Thread-safety: none; one worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "perch/base/clock.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/http/server_session.h"
#include "perch/http2/error_code.h"
#include "perch/http2/frame.h"
#include "perch/http2/hpack.h"
#include "perch/http2/options.h"
#include "perch/http2/output_queue.h"
#include "perch/http2/rate_window.h"
#include "perch/http2/stall_meter.h"
#include "perch/http2/stream.h"
#include "perch/http2/stream_table.h"
#include "perch/memory/slab.h"

namespace perch::http2 {

class RequestBuilder;

class Session final : public http::ServerSession, public memory::SlabAllocated {
 public:
  // `options` and `events` are borrowed for the session's life.
  Session(const SessionOptions& options, http::ServerEvents& events, Instant now);
  ~Session() override;  // open streams end without an event
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // --- bytes in
  // Consumes whole frames from the front of `input` and returns how many bytes those were; call
  // again with what is left and more behind it. A frame never needs more than 16,393 bytes.
  std::size_t receive(std::span<const std::byte> input, Instant now) override;
  // Nothing follows from it: a client that has shut its side down may still want its answers.
  void receive_end() override {}
  bool wants_input() const override { return true; }

  // --- bytes out
  void produce(OutputQueue& out, std::size_t limit, http::DateValue date) override;
  bool wants_output() const override;

  // --- the owner's answers
  // See http::ServerSession; the streams are this session's.
  void respond(http::ServerStream& stream, http::Response response) override;
  void inform(http::ServerStream& stream, int status) override;
  // Opens the flow-control windows. Closing a stream credits what is left of it.
  void consumed(http::ServerStream& stream, std::size_t bytes) override;
  // Ends the stream by RST_STREAM; raises on_stream_closed.
  void reset(Stream& stream, ErrorCode reason);

  // Counted as a useless frame.
  void note_useless_wake(Instant now) override;
  void set_lingering_handlers(std::uint32_t count) override { lingering_handlers_ = count; }

  // --- ending
  // Graceful, first step: GOAWAY with the largest stream id; new requests are still served.
  void announce_shutdown() override;
  // Second step: GOAWAY with the last stream that will be served; later ones are ignored.
  void shutdown() override;
  bool shutting_down() const { return goaway_final_sent_; }
  // A connection error was made or the peer's GOAWAY and the last stream have passed: flush, close.
  bool finished() const override;
  bool failed() const override { return failed_; }
  // Why, for a log line; static text.
  std::string_view failure() const override { return failure_; }
  void fail(ErrorCode code, std::string_view what);
  void fail_timeout(std::string_view what) override { fail(ErrorCode::kEnhanceYourCalm, what); }
  // Fails the session when a deadline of its own has passed (preface, SETTINGS acknowledgement, an
  // open header block).
  void check_deadlines(Instant now) override;

  // --- state
  std::size_t open_streams() const { return streams_.size(); }
  bool quiet() const override { return streams_.size() == 0; }
  const http::SessionCounters& counters() const override { return counters_; }
  // Received bytes of a frame that is not complete keep a connection from parking; that is for the
  // owner to see. This tells everything else that forbids it (see docs/architecture.md).
  bool can_park() const override;

  // --- parking
  // Appends the record. REQUIRES: can_park().
  void park(std::vector<std::byte>& record, Instant now) const override;
  // Null for a record that `park` cannot have made.
  static std::unique_ptr<Session> restore(std::span<const std::byte> record,
                                          const SessionOptions& options, http::ServerEvents& events,
                                          Instant now);

 private:
  friend class Stream;
  struct Restored {};
  Session(const SessionOptions& options, http::ServerEvents& events, Instant now, Restored);
  struct PeerSettings {
    std::uint32_t header_table_size = kDefaultHeaderTableSize;
    std::uint32_t initial_window = kDefaultWindow;
    std::uint32_t max_frame_size = kDefaultMaxFrameSize;
    std::uint32_t max_header_list = UINT32_MAX;
    friend bool operator==(const PeerSettings&, const PeerSettings&) = default;
  };
  // The blocks of heads that need no encoding as long as the encoder's table stands still.
  struct CachedHead {
    std::uint64_t head_id = 0;
    std::uint32_t revision = 0;
    std::uint32_t date_epoch = 0;
    std::uint8_t size = 0;
    std::byte block[43] = {};
  };
  static constexpr std::size_t kCachedHeads = 8;
  static constexpr std::size_t kReadyLists = 8;  // by urgency

  // session_receive.cc
  std::size_t receive_preface(std::span<const std::byte> input);
  void on_frame(const FrameHeader& header, std::span<const std::byte> payload);
  void on_data(const FrameHeader& header, std::span<const std::byte> payload);
  void on_priority(const FrameHeader& header, std::span<const std::byte> payload);
  void on_rst_stream(const FrameHeader& header, std::span<const std::byte> payload);
  void on_settings(const FrameHeader& header, std::span<const std::byte> payload);
  void on_settings_ack();
  void apply_setting(Setting value);
  void on_ping(const FrameHeader& header, std::span<const std::byte> payload);
  void on_goaway(const FrameHeader& header, std::span<const std::byte> payload);
  void on_window_update(const FrameHeader& header, std::span<const std::byte> payload);
  void on_priority_update(const FrameHeader& header, std::span<const std::byte> payload);
  void end_remote(Stream& stream);
  void discard_request(Stream& stream);
  // Never opened by the peer, although it still may be. After the final GOAWAY higher ids are not
  // idle but ignored; even ids are this side's, which opens none.
  bool is_idle(StreamId id) const {
    return id % 2 == 0 || (id > last_peer_stream_ && id <= goaway_last_);
  }
  void on_closed_stream(const FrameHeader& header);

  // session_headers.cc
  void on_headers(const FrameHeader& header, std::span<const std::byte> payload);
  void on_continuation(const FrameHeader& header, std::span<const std::byte> payload);
  void begin_headers(const FrameHeader& header, bool end_stream);
  void header_fragment(std::span<const std::byte> fragment, bool end_headers);
  void end_headers();
  void open_stream_at(StreamId id);

  // session.cc
  void frame_error(const FrameError& error, StreamId stream);
  void stream_error(StreamId stream, ErrorCode code);
  void queue_rst_stream(StreamId stream, ErrorCode code);
  bool count_reset();
  void count_useless(std::string_view what);
  void close_stream(Stream& stream, ErrorCode reason);
  // What the peer may send on a new stream, as far as it knows yet.
  std::uint32_t initial_receive_window() const;
  // The connection's receive window when all is credited; RFC 9113 lets nobody start below 65,535.
  std::uint32_t receive_window_limit() const;
  void credit_connection(std::uint32_t bytes);
  void credit_stream(Stream& stream, std::uint32_t bytes);

  // session_send.cc
  void make_ready(Stream& stream);
  void make_ready_if_blocked(Stream& stream);
  void body_ready(Stream& stream);
  using Date = http::DateValue;
  void write_head(Stream& stream, OutputQueue& out, Date date);
  std::span<const std::byte> prepared_block(const http::PreparedHead& head, Date date);
  void begin_head(int status);
  void encode_fields(const http::Fields& fields, bool repeats);
  void encode_common_fields(bool has_date, bool has_server, std::string_view date);
  void write_header_block(StreamId stream, bool end_stream, std::span<const std::byte> block,
                          OutputQueue& out);
  // What became of a stream that was given its turn.
  enum class Turn : std::uint8_t { kMore, kStreamBlocked, kConnectionBlocked, kClosed };
  Turn write_body(Stream& stream, OutputQueue& out);
  Turn pull_body(Stream& stream, std::size_t room, OutputQueue& out);
  void write_end(Stream& stream, OutputQueue& out);
  void write_data(Stream& stream, Bytes data, bool end_stream, OutputQueue& out);
  void end_local(Stream& stream);
  void stop_request(Stream& stream);
  void stop_requests_done_before(Instant when);

  // session_stall.cc
  void check_stalls(Instant now);

  const SessionOptions& options_;
  http::ServerEvents& events_;
  StreamTable streams_;
  HpackEncoder encoder_;
  HpackDecoder decoder_;
  std::unique_ptr<RequestBuilder> builder_;  // from the first header block on
  std::vector<std::byte> control_;           // whole frames that wait to be written
  std::vector<std::byte> block_;             // scratch for an encoded head
  IntrusiveList<Stream> heads_;
  IntrusiveList<Stream> ends_;  // all but END_STREAM was written, and that needs no window
  IntrusiveList<Stream> ready_[kReadyLists];
  std::unique_ptr<CachedHead[]> cached_heads_;
  http::SessionCounters counters_;
  Instant now_;
  Instant started_;
  Instant header_block_started_;
  std::string_view failure_;

  PeerSettings peer_;
  std::int64_t send_window_ = kDefaultWindow;
  std::int64_t receive_window_ = kDefaultWindow;
  std::uint32_t uncredited_ = 0;
  StreamId last_peer_stream_ = 0;
  StreamId header_stream_ = 0;  // of the open header block
  // Frames may still arrive on streams up to this one that this side reset first: they are ignored.
  StreamId reset_up_to_ = 0;
  // The newest run of ids that the peer jumped over: never opened, so closed without a story.
  StreamId skipped_first_ = 0;
  StreamId skipped_last_ = 0;
  StreamId goaway_last_ = kLargestStreamId;
  RateWindow resets_;
  RateWindow useless_;
  std::uint32_t queued_control_ = 0;
  std::uint32_t continuations_ = 0;
  std::uint32_t lingering_handlers_ = 0;
  std::uint32_t open_header_bytes_ = 0;  // of streams without a response
  StallMeter stall_;                     // of the connection's window
  std::uint32_t unfinished_requests_ =
      0;                         // streams with a whole response and a request that goes on
  std::uint8_t ready_mask_ = 0;  // lists of ready_ that may hold something
  std::uint8_t preface_seen_ = 0;
  bool connection_blocked_ = false;  // by send_window_, until that or the ready lists grow
  bool settings_seen_ = false;
  bool settings_acked_ = false;
  bool header_end_stream_ = false;
  bool header_discard_ = false;  // decoded for the table's sake only
  bool goaway_notice_sent_ = false;
  bool goaway_final_sent_ = false;
  bool goaway_received_ = false;
  bool failed_ = false;
  bool producing_ = false;
};

}  // namespace perch::http2
