// A client's end of a connection to 127.0.0.1, in clear or through OpenSSL's TLS. One thread.
//
// With PERCH_TEST_TLS in the environment every test server and every client uses TLS where a test
// does not say otherwise: so all tests of the server are tests of it over TLS as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "perch/net/unique_fd.h"
#include "tls/testing/client.h"

namespace perch::server::testing {

bool tls_by_default();

struct ClientOptions {
  int receive_buffer = 0;  // SO_RCVBUF in bytes; 0: the system's
  int send_buffer = 0;
  // Shakes hands at once; null: the default. Borrowed for the constructor's time.
  const tls::testing::ClientOptions* tls = nullptr;
  bool clear = false;  // whatever the default is
};

class TestSocket {
 public:
  // `protocol` is for ALPN, where TLS is the default.
  TestSocket(std::uint16_t port, const ClientOptions& options, std::string_view protocol);
  // Refused, or no handshake: false.
  bool connected() const { return fd_.valid() && (tls_ == nullptr || tls_->connected()); }

  // False when the server has closed the connection.
  bool send(std::span<const std::byte> bytes);
  // Appends what comes within `milliseconds` to `out`; false at the end of the connection.
  bool receive(int milliseconds, std::string& out);
  bool ended() const { return ended_; }

  void half_close();  // no more from this side
  void close() { fd_.reset(); }
  void kill();  // by a TCP reset
  int fd() const { return fd_.get(); }
  tls::testing::Client& tls() { return *tls_; }

 private:
  bool send_all(std::span<const std::byte> bytes);

  net::UniqueFd fd_;
  std::unique_ptr<tls::testing::Client> tls_;
  std::size_t plaintext_taken_ = 0;
  bool ended_ = false;
};

}  // namespace perch::server::testing
