// One request and its response within a session.
//
// States (RFC 9113 section 5.1), as the server sees them:
//
//     HEADERS            END_STREAM received          response ended
//   idle -> open ---------------> half-closed(remote) ---------------> closed
//             \---- response ended, rest of request refused ----------^
//              \--- RST_STREAM either way, connection error ----------^
//
// A Stream exists from its HEADERS until it is closed; closed streams are remembered by the
// session's highest stream id alone.
#pragma once

#include <cstdint>
#include <memory>

#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/http/server_session.h"
#include "perch/http2/frame.h"
#include "perch/http2/stall_meter.h"
#include "perch/memory/slab.h"

namespace perch::http2 {

class Session;

class Stream final : public http::ServerStream,
                     public memory::SlabAllocated,
                     public ListLink<>,
                     private http::BodySource::ReadyHook {
 public:
  Stream(Session& session, StreamId id, std::int32_t send_window, std::int32_t receive_window)
      : session_(session), id_(id), send_window_(send_window), receive_window_(receive_window) {}
  ~Stream();

  StreamId id() const { return id_; }
  bool remote_ended() const { return remote_ended_; }
  bool responded() const { return phase_ != Phase::kNoResponse; }

  // How it ended, for on_stream_closed: kNoError when its response was written whole.
  ErrorCode end_code() const { return end_code_; }

 private:
  friend class Session;
  friend class StreamTable;

  enum class Phase : std::uint8_t {
    kNoResponse,  // the handler is at work
    kHead,        // on the heads list
    kBody,        // on a ready list, or blocked (not linked)
    kDone,        // END_STREAM written
  };

  void on_body_ready() noexcept override;

  Session& session_;
  std::unique_ptr<http::BodySource> source_;
  Bytes body_;
  std::unique_ptr<http::Response> response_;            // until its head is written
  std::shared_ptr<const http::PreparedHead> prepared_;  // instead, where that is all of the head
  std::uint64_t expected_bytes_ = 0;                    // of the request's body, where has_length_
  std::uint64_t received_bytes_ = 0;
  Instant done_at_;  // response complete while the request goes on
  StreamId id_;
  std::int32_t send_window_;
  std::int32_t receive_window_;
  std::uint32_t unconsumed_ = 0;  // received, not yet credited to the connection
  std::uint32_t uncredited_ = 0;  // consumed, not yet credited to this stream
  std::uint32_t turns_ = 0;
  std::uint32_t opened_ms_ = 0;  // of the monotonic clock, modulo 2^32
  StallMeter stall_;
  std::uint32_t header_bytes_ = 0;  // counted by the session until there is a response
  ErrorCode end_code_ = ErrorCode::kNoError;
  Phase phase_ = Phase::kNoResponse;
  std::uint8_t urgency_ = 3;
  bool incremental_ = false;
  bool remote_ended_ = false;
  bool request_unwanted_ = false;  // the response is complete, the request goes on
  bool head_request_ = false;
  bool has_length_ = false;
  bool announced_ = false;  // on_request was raised; else the owner hears nothing of it
};

}  // namespace perch::http2
