// A client of HTTP/1.1 on a real socket, in clear or over TLS: it sends byte for byte what a test
// writes. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "server/testing/test_socket.h"

namespace perch::server::testing {

class TextClient {
 public:
  explicit TextClient(std::uint16_t port, const ClientOptions& options = {})
      : socket_(port, options, "http/1.1") {}
  bool connected() const { return socket_.connected(); }

  bool send(std::string_view text);
  // Reads until what was received and not taken yet holds `end`, and takes it up to there. "" when
  // the connection ends first, or patience does.
  std::string read_to(std::string_view end);
  // Reads a head and, by its Content-Length, a body; takes both.
  std::string read_response();
  // Reads to the end of the connection; false when it stays open. What came is in `received`.
  bool read_to_end();
  std::string received;

  void half_close() { socket_.half_close(); }
  void close() { socket_.close(); }
  TestSocket& socket() { return socket_; }

 private:
  TestSocket socket_;
};

}  // namespace perch::server::testing
