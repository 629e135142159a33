// What all TLS connections of a listener have in common: certificates, versions, ciphers, tickets.
//
// A context never changes. A reload makes a new one; connections keep theirs until they end.
//
// Always: TLS 1.3 with AES-128-GCM preferred, AES-256-GCM and ChaCha20-Poly1305; TLS 1.2 with ECDHE
// and the same AEADs; X25519 and P-256; the server's order, except that a client which puts
// ChaCha20 first gets it. No compression, no renegotiation, no early data, no session cache.
//
// Thread-safety: immutable; any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/error.h"
#include "perch/tls/ticket_keys.h"

namespace perch::tls {

enum class Version : std::uint8_t { kTls12, kTls13 };

struct CertificateFiles {
  std::string chain;          // PEM: the certificate, then its issuers
  std::string key;            // PEM, not encrypted
  std::string ocsp_response;  // DER, to be stapled (RFC 6066 section 8); empty: none
  bool in_memory = false;     // chain and key are not names of files but the PEM texts themselves
};

enum class ClientCertificates : std::uint8_t {
  kOff,
  kRequest,  // may be missing, but not wrong
  kRequire,
};

struct ServerContextOptions {
  // The first is the default. A name belongs to the first certificate that has it, except that
  // certificates with the same names and different kinds of keys (ECDSA, RSA) are offered together.
  std::vector<CertificateFiles> certificates;
  // In order of preference. A client that offers others only is refused with
  // no_application_protocol; one that offers none has an empty alpn().
  std::vector<std::string> alpn = {"h2", "http/1.1"};
  Version min_version = Version::kTls12;
  bool session_tickets = true;
  std::shared_ptr<TicketKeys> ticket_keys;  // null: random ones of this context's own
  std::chrono::seconds ticket_lifetime = std::chrono::hours(12);
  ClientCertificates client_certificates = ClientCertificates::kOff;
  std::string client_ca_file;  // PEM: who may issue them
  // TLS 1.3: a new key is taken after so many records, well before the AEADs' limits of 2^24.5
  // (RFC 8446 section 5.5).
  std::uint64_t records_per_key = 1 << 23;
};

class ServerContext {
 public:
  // Errors name the file and the reason: it cannot be read, holds no certificate, the key does not
  // belong to it.
  static Result<std::shared_ptr<const ServerContext>> create(const ServerContextOptions& options);
  ~ServerContext();
  ServerContext(const ServerContext&) = delete;
  ServerContext& operator=(const ServerContext&) = delete;

  // What works, but hardly as meant: an expired certificate, one without names.
  const std::vector<std::string>& warnings() const;

  // Which certificate a client gets that asks for `server_name`; what certificates are counted by
  // is explained at Connection::certificate_index.
  std::size_t select(std::string_view server_name) const;
  // The host of `authority` (host, or host:port) is a name or an address of some certificate.
  bool names_cover(std::string_view authority) const;
  // The same for the certificate with this index: a request for another authority on a connection
  // that showed it is answered by 421 (RFC 9110 section 15.5.20).
  bool certificate_covers(std::size_t index, std::string_view authority) const;

  struct Impl;  // src/tls/context_impl.h
  const Impl& impl() const { return *impl_; }

 private:
  explicit ServerContext(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace perch::tls
