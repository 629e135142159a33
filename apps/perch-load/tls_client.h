// TlsClient: the client's side of one TLS connection, without I/O: ciphertext in, plaintext and
// ciphertext out.
//
// Made for many connections that rest: OpenSSL's object holds no buffer between records, and the
// transport belongs to the thread (src/tls/span_bio.h). That leaves about 20 KB for each.
//
// Thread-safety: none; a context and its connections belong to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/error.h"
#include "perch/tls/server_context.h"
#include "tls/openssl.h"

namespace perch::load {

struct TlsClientOptions {
  std::string host;               // a name, also for SNI, or an address
  std::vector<std::string> alpn;  // in order of preference
  tls::Version max_version = tls::Version::kTls13;
  bool verify = true;   // the certificate, against `host` and the CAs
  std::string ca_file;  // PEM; empty: the system's CAs
};

class TlsClientContext {
 public:
  // Errors: kInvalidArgument, for a file without CAs.
  static Result<std::unique_ptr<const TlsClientContext>> create(TlsClientOptions options);

 private:
  friend class TlsClient;
  TlsClientContext(TlsClientOptions options, tls::SslCtxPtr ctx)
      : options_(std::move(options)), ctx_(std::move(ctx)) {}

  TlsClientOptions options_;
  tls::SslCtxPtr ctx_;
};

class TlsClient {
 public:
  enum class State : std::uint8_t { kHandshaking, kOpen, kPeerClosed, kFailed };

  explicit TlsClient(const TlsClientContext& context);

  // Appends the ClientHello. Once, first.
  void start(std::vector<std::byte>& out);
  // Takes all of `ciphertext`; appends plaintext to `plaintext` and what must be sent to `out`.
  // After kPeerClosed or kFailed, input is ignored.
  void receive(std::span<const std::byte> ciphertext, std::vector<std::byte>& plaintext,
               std::vector<std::byte>& out);
  // Appends `plaintext` in records. REQUIRES: kOpen.
  void seal(std::span<const std::byte> plaintext, std::vector<std::byte>& out);
  // Appends a close_notify, where a connection was made.
  void close(std::vector<std::byte>& out);
  // Replaces the sending key (RFC 8446 section 4.6.3). REQUIRES: kOpen, TLS 1.3.
  void update_key(std::vector<std::byte>& out);

  State state() const { return state_; }
  const std::string& failure() const { return failure_; }  // in kFailed

  // --- from kOpen on
  std::string_view alpn() const;    // empty: the server chose none
  std::string description() const;  // "TLSv1.3, TLS_AES_128_GCM_SHA256"

 private:
  void step(std::vector<std::byte>& plaintext);
  void fail(int ssl_error);

  std::unique_ptr<SSL, tls::Freer<SSL_free>> ssl_;
  std::string failure_;
  State state_ = State::kHandshaking;
};

}  // namespace perch::load
