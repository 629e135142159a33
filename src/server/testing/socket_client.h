// A scripted HTTP/2 client on a real socket, in clear or over TLS: it writes what it is told to,
// right or wrong, and reads with patience. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "http2/testing/scripted_client.h"
#include "server/testing/test_socket.h"

namespace perch::server::testing {

using http2::testing::FieldLines;
using http2::testing::get;
using http2::testing::post;
using http2::testing::ReceivedFrame;

// What came on one stream.
struct Answer {
  std::string status;  // "" when none came
  FieldLines fields;
  std::string body;
  FieldLines trailers;
  bool ended = false;
  bool reset = false;
  http2::ErrorCode error = http2::ErrorCode::kNoError;

  std::string_view field(std::string_view name) const;
};

class SocketClient {
 public:
  // Connects to 127.0.0.1. `connected` is false when that was refused.
  explicit SocketClient(std::uint16_t port, const ClientOptions& options = {})
      : socket_(port, options, "h2") {}
  bool connected() const { return socket_.connected(); }

  // --- writing: fill `script`, then send.
  http2::testing::ScriptedClient script;
  // Preface, these settings and the acknowledgement of the server's, at once.
  void handshake(std::vector<http2::Setting> settings = {});
  // The same with open_windows, not yet sent: a request can follow in the same segment.
  void begin_with_open_windows();
  // Windows that no test exhausts. Not yet sent.
  void open_windows();
  // False when the server has closed the connection.
  bool send();
  bool send_bytes(std::span<const std::byte> bytes);

  // --- reading
  // Reads until `done()`; false at the end of the connection, or when patience runs out.
  bool read_until(const std::function<bool()>& done);
  // Reads until a frame is described so. Frames of before count.
  bool read_frame(std::string_view description);
  // Reads until the stream has ended or was reset.
  Answer answer(http2::StreamId stream);
  Answer answer_so_far(http2::StreamId stream) const;
  // Sends a GET and waits for the answer.
  Answer fetch(http2::StreamId stream, std::string_view path = "/hello",
               const FieldLines& more = {});
  // Reads to the end of the connection; false when it stays open.
  bool read_to_end();
  // Reads what is there now, without waiting; false at the end of the connection.
  bool read_available();
  // Descriptions of the frames received, joined by "; ".
  std::string story() const;
  bool saw(std::string_view description) const;

  // --- ending
  void half_close() { socket_.half_close(); }
  void close() { socket_.close(); }
  void kill() { socket_.kill(); }
  int fd() const { return socket_.fd(); }
  TestSocket& socket() { return socket_; }

 private:
  // As much as comes within `milliseconds`; false at the end of the connection.
  bool receive_some(int milliseconds);

  TestSocket socket_;
  std::string input_;  // scratch
};

}  // namespace perch::server::testing
