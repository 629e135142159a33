// ClientSession: the client's side of one HTTP/2 connection that sends one GET at a time (RFC
// 9113).
//
// Sans-I/O: bytes in, bytes and answers out. Between requests it rests: what it keeps then is this
// object and the server's field table as a blob of literals, no decoder and no buffer. It rests and
// wakes by itself.
//
// It is strict about what keeps a connection in step (frame shapes, header blocks, flow control,
// stream ids) and lenient about the rest, because it is pointed at any server.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "perch-load/answer.h"
#include "perch-load/request_blocks.h"
#include "perch/http2/error_code.h"
#include "perch/http2/frame.h"

namespace perch::load {

// Why a connection takes no more requests.
struct Ending {
  http2::ErrorCode code;
  std::string_view what;  // static text
  bool by_server;         // by its GOAWAY; otherwise the server broke the protocol
};

class ClientSession {
 public:
  ClientSession();
  ~ClientSession();
  ClientSession(ClientSession&&) noexcept;
  ClientSession& operator=(ClientSession&&) noexcept;

  // Appends a GET to `out`, the first time behind the preface and SETTINGS.
  // REQUIRES: !waiting(), !ending().
  void request(RequestBlocks& blocks, std::vector<std::byte>& out);

  // Takes what the server sent; appends what is to be sent in return. After an error of the
  // server's that is a GOAWAY, and further input is ignored.
  void receive(std::span<const std::byte> input, std::vector<std::byte>& out);

  // Appends a GOAWAY without error, for a farewell.
  void say_goodbye(std::vector<std::byte>& out) const;

  bool waiting() const { return waiting_; }  // a request has no answer yet
  // The answer that came since the last call.
  std::optional<Answer> take_answer();
  const std::optional<Ending>& ending() const { return ending_; }
  bool broken() const { return ending_ && !ending_->by_server; }

  bool resting() const { return active_ == nullptr; }
  // What is allocated beside the object itself, while it rests.
  std::size_t resting_bytes() const { return table_.capacity(); }

 private:
  struct Active;  // what exists only while something is going on

  using Payload = std::span<const std::byte>;
  using Output = std::vector<std::byte>;

  void wake();
  void rest();
  Payload take_frame(Payload input, Output& out);
  void on_frame(const http2::FrameHeader& header, Payload payload, Output& out);
  void on_data(const http2::FrameHeader& header, Payload payload, Output& out);
  void on_headers(const http2::FrameHeader& header, Payload payload, Output& out);
  void on_fragment(Payload fragment, bool end_of_block, Output& out);
  void on_block_end(Output& out);
  void on_settings(const http2::FrameHeader& header, Payload payload, Output& out);
  void on_rst_stream(const http2::FrameHeader& header, Payload payload, Output& out);
  void on_goaway(const http2::FrameHeader& header, Payload payload, Output& out);

  bool is_current(http2::StreamId stream) const { return waiting_ && stream == stream_; }
  void finish(std::string_view failure);
  void reset_stream(http2::ErrorCode code, std::string_view failure, Output& out);
  void fail(http2::ErrorCode code, std::string_view what, Output& out);
  void fail(const http2::FrameError& error, Output& out) { fail(error.code, error.what, out); }

  std::unique_ptr<Active> active_;
  std::vector<std::byte> table_;  // the server's field table, while no decoder exists
  std::optional<Ending> ending_;
  TableLimits limits_;
  RequestBlocks::State encoder_state_ = RequestBlocks::kFresh;
  http2::StreamId stream_ = 0;            // the last one that was opened
  std::uint32_t connection_unacked_ = 0;  // bytes received and not yet credited
  bool waiting_ = false;
  bool settings_seen_ = false;
};

}  // namespace perch::load
