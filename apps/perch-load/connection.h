// One connection: its socket, TLS where the URL asks for it, its session, and what the socket did
// not take yet.
//
// Thread-safety: none. What a Loop holds is shared by all connections of one thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perch-load/http_session.h"
#include "perch-load/tls_client.h"
#include "perch/base/error.h"
#include "perch/net/endpoint.h"
#include "perch/net/io_token.h"
#include "perch/net/unique_fd.h"

namespace perch::load {

struct Loop {
  Loop(Requests the_requests, bool only_http1, std::unique_ptr<const TlsClientContext> the_tls)
      : requests(std::move(the_requests)), http1(only_http1), tls(std::move(the_tls)) {}

  Requests requests;
  bool http1;                                   // in cleartext; with TLS, ALPN decides
  std::unique_ptr<const TlsClientContext> tls;  // null: cleartext

  // Empty between calls: a connection at rest has no buffer.
  std::array<std::byte, 64 * 1024> input;
  std::vector<std::byte> plaintext;  // received
  std::vector<std::byte> output;     // of the session
  std::vector<std::byte> wire;       // to be sent
};

// The source of connection `index` to `target`. A source address gives 28,000 ports to one target;
// the loopback network has 16 million addresses, so its connections spread over them. Nothing: let
// the kernel choose.
std::optional<net::Endpoint> source_for(const net::Endpoint& target, std::size_t index);

// 127.0.0.0/8 or ::1.
bool is_loopback(const net::Endpoint& endpoint);

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

  // Sends a GET, as soon as there is a connection. REQUIRES: idle or just made.
  Outcome request(Loop& loop);
  Outcome on_io(net::IoEvents events, Loop& loop);

  // Says goodbye where that is possible at once, and closes.
  void close(Loop& loop);

  bool is_open() const { return fd_.valid(); }
  bool reached() const { return connected_; }  // the server took the connection
  bool waiting() const { return wanted_ || (session_ && session_->waiting()); }
  // "HTTP/2 over TLSv1.3, TLS_AES_128_GCM_SHA256", "HTTP/1.1 in cleartext". REQUIRES: there was an
  // answer.
  std::string protocol() const;

 private:
  // Each returns why the connection is over, or an empty text.
  std::string connected(net::IoEvents events, Loop& loop);
  std::string receive(Loop& loop);
  std::string take(std::span<const std::byte> input, Loop& loop);
  std::string send(Loop& loop);

  void open_session(Loop& loop);
  std::string why_closed(int system_error) const;

  net::UniqueFd fd_;
  std::unique_ptr<TlsClient> tls_;
  std::optional<HttpSession> session_;  // from when its protocol is known
  std::vector<std::byte> pending_;
  bool connected_ = false;
  bool wanted_ = false;  // a request, once there is a session
};

}  // namespace perch::load
