// The client's end of one HTTP/2 connection, in memory and under a test's control: it writes the
// frames that it is told to, right or wrong, and reads what the server sends as a strict peer.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perch/http2/frame.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {

using FieldLines = std::vector<std::pair<std::string, std::string>>;

// A frame from the server. A header block is joined and decoded where its HEADERS frame stands.
struct ReceivedFrame {
  FrameHeader header;
  std::vector<std::byte> payload;  // of a block: all fragments
  FieldLines fields;
  std::size_t continuations = 0;

  std::string_view field(std::string_view name) const;  // "" when absent
  std::string_view text() const;
  ErrorCode error() const;  // of RST_STREAM and GOAWAY
  // One line: "HEADERS 1 200 END_STREAM", "DATA 1 13", "RST_STREAM 3 CANCEL",
  // "GOAWAY 5 PROTOCOL_ERROR", "WINDOW_UPDATE 0 +4", "SETTINGS ACK", "PING ACK 2a".
  std::string describe() const;
};

// A GET of `path` with the four pseudo-fields, then `more`; a POST.
FieldLines get(std::string_view path = "/", const FieldLines& more = {});
FieldLines post(std::string_view path = "/echo", const FieldLines& more = {});
// Bytes from hexadecimal digits; blanks are skipped.
std::vector<std::byte> from_hex(std::string_view digits);

class ScriptedClient {
 public:
  // --- writing; nothing is checked
  FrameWriter frames() { return FrameWriter(out_); }
  void raw(std::span<const std::byte> bytes) {
    out_.insert(out_.end(), bytes.begin(), bytes.end());
  }
  void raw(std::string_view hex) { raw(from_hex(hex)); }
  void preface();
  void settings(std::vector<Setting> values = {});
  void settings_ack() { frames().settings_ack(); }
  void request(StreamId stream, const FieldLines& fields = get(), bool end_stream = true);
  // Only HEADERS and CONTINUATION frames of at most `part` bytes of the block.
  void request_in_parts(StreamId stream, const FieldLines& fields, std::size_t part,
                        bool end_stream = true);
  void trailers(StreamId stream, const FieldLines& fields) { request(stream, fields, true); }
  void data(StreamId stream, std::string_view text, bool end_stream = false);
  void ping(std::uint64_t opaque = 0x2a) { frames().ping(opaque, false); }
  void window_update(StreamId stream, std::uint32_t increment);
  void reset(StreamId stream, ErrorCode code = ErrorCode::kCancel) {
    frames().rst_stream(stream, code);
  }
  // The block alone, encoded with this client's table.
  std::vector<std::byte> block(const FieldLines& fields);
  HpackEncoder& encoder() { return encoder_; }

  std::vector<std::byte> take_output() { return std::exchange(out_, {}); }

  // --- reading
  void receive(std::span<const std::byte> bytes);
  const std::vector<ReceivedFrame>& received() const { return received_; }
  void forget_received() { received_.clear(); }
  // What the server did that no server may do, or "". Flow control is checked against what this
  // client wrote through settings() and window_update().
  const std::string& violation() const { return violation_; }
  // For tests that open windows by raw bytes.
  void ignore_windows() { check_windows_ = false; }

 private:
  struct StreamState {
    std::int64_t window_change = 0;  // by WINDOW_UPDATE and DATA, on top of the initial window
    bool headers = false;
    bool ended = false;
  };
  void on_frame(ReceivedFrame frame);
  void check(const ReceivedFrame& frame);
  void decode(ReceivedFrame& frame);
  void wrong(std::string_view what, const ReceivedFrame& frame);

  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  std::vector<ReceivedFrame> received_;
  std::map<StreamId, StreamState> streams_;
  HpackEncoder encoder_;
  HpackDecoder decoder_;
  std::string violation_;
  ReceivedFrame open_block_;
  bool block_open_ = false;
  bool settings_seen_ = false;
  bool check_windows_ = true;
  bool failed_ = false;  // GOAWAY with an error came
  std::int64_t connection_window_ = kDefaultWindow;
  std::int64_t initial_window_ = kDefaultWindow;
};

}  // namespace perch::http2::testing
