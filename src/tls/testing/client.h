// A TLS client in memory: OpenSSL's, with every knob that a test turns.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch/tls/alert.h"
#include "tls/openssl.h"
#include "tls/testing/certificates.h"

namespace perch::tls::testing {

using SslPtr = std::unique_ptr<SSL, Freer<SSL_free>>;
using SessionPtr = std::unique_ptr<SSL_SESSION, Freer<SSL_SESSION_free>>;

struct ClientOptions {
  int min_version = TLS1_2_VERSION;
  int max_version = TLS1_3_VERSION;
  std::string suites13;  // empty: OpenSSL's
  std::string ciphers12 = "DEFAULT:@SECLEVEL=0";
  std::string groups;
  std::string signature_algorithms;
  std::string server_name;
  std::vector<std::string> alpn;
  bool wants_staple = false;
  SSL_SESSION* session = nullptr;       // to be resumed
  const Issued* certificate = nullptr;  // of the client's own
};

class Client {
 public:
  explicit Client(const ClientOptions& options);
  // As if all had ended well: otherwise OpenSSL lets nobody resume the session.
  ~Client() { SSL_set_shutdown(ssl(), SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Takes the server's bytes, goes on with the handshake, reads.
  void receive(std::span<const std::byte> bytes);
  // What is to be sent since the last call.
  std::vector<std::byte> take_output();

  void send(std::string_view text);
  void close() { SSL_shutdown(ssl()); }
  void update_key(bool ask_for_the_servers);
  void renegotiate();

  bool connected() const { return connected_; }
  bool can_send() const {
    return connected_ && !failed_ && !server_closed_ &&
           (SSL_get_shutdown(ssl()) & SSL_SENT_SHUTDOWN) == 0;
  }
  bool server_closed() const { return server_closed_; }
  bool failed() const { return failed_; }
  std::optional<Alert> alert_received() const { return alert_received_; }
  std::optional<Alert> alert_sent() const { return alert_sent_; }
  const std::string& received() const { return received_; }
  std::vector<SessionPtr>& sessions() { return sessions_; }  // as tickets came
  std::string alpn() const;
  std::string peer_name() const;  // the common name of the server's certificate
  std::string staple() const;
  SSL* ssl() const { return ssl_.get(); }

 private:
  static int on_session(SSL* ssl, SSL_SESSION* session);
  static void on_info(const SSL* ssl, int where, int value);
  void step();

  SslCtxPtr ctx_;
  SslPtr ssl_;
  std::string received_;
  std::vector<SessionPtr> sessions_;
  std::optional<Alert> alert_received_;
  std::optional<Alert> alert_sent_;
  bool connected_ = false;
  bool server_closed_ = false;
  bool failed_ = false;
};

}  // namespace perch::tls::testing
