// One connection: its socket, its session, and what the socket did not take yet.
//
// Thread-safety: none. Input and output buffers are shared by all connections of a loop.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "perch-load/client_session.h"
#include "perch-load/request_blocks.h"
#include "perch/base/error.h"
#include "perch/net/endpoint.h"
#include "perch/net/io_token.h"
#include "perch/net/unique_fd.h"

namespace perch::load {

struct LoopBuffers {
  std::array<std::byte, 64 * 1024> input;
  std::vector<std::byte> output;
};

// The source of connection `index` to `target`. A source address gives 28,000 ports to one target;
// the loopback network has 16 million addresses, so its connections spread over them. Nothing: let
// the kernel choose.
std::optional<net::Endpoint> source_for(const net::Endpoint& target, std::size_t index);

class Connection {
 public:
  // Starts to connect. The descriptor is to be registered, edge-triggered, before it is connected.
  static Result<net::UniqueFd> make_socket(const net::Endpoint& target,
                                           const std::optional<net::Endpoint>& source);
  Result<void> connect(net::UniqueFd fd, const net::Endpoint& target);

  struct Outcome {
    std::optional<Answer> answer;
    std::string lost;  // why the connection is over; empty: it is not
  };

  // Sends a GET, as soon as the socket is connected. REQUIRES: idle or just made.
  Outcome request(RequestBlocks& blocks, LoopBuffers& buffers);
  Outcome on_io(net::IoEvents events, LoopBuffers& buffers);

  // Says GOAWAY where that is possible at once, and closes.
  void close(LoopBuffers& buffers);

  bool is_open() const { return fd_.valid(); }
  bool waiting() const { return session_.waiting(); }
  std::size_t resting_bytes() const { return session_.resting_bytes(); }

 private:
  // Sends buffers.output behind what waits already. Returns why that failed, or an empty text.
  std::string send(LoopBuffers& buffers);
  std::string receive(LoopBuffers& buffers);
  std::string why_closed(int system_error) const;

  net::UniqueFd fd_;
  ClientSession session_;
  std::vector<std::byte> pending_;
  bool connected_ = false;
};

}  // namespace perch::load
