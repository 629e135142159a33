#include "perch-load/tls_client.h"

#include <array>
#include <utility>

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include "perch/base/check.h"
#include "perch/tls/connection.h"
#include "tls/span_bio.h"

namespace perch::load {
namespace {

// As browsers order them: AES-128 first.
constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kCiphers12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE+AESGCM:ECDHE+CHACHA20";

bool is_address(const std::string& host) {
  ASN1_OCTET_STRING* const address = a2i_IPADDRESS(host.c_str());
  ERR_clear_error();
  ASN1_OCTET_STRING_free(address);
  return address != nullptr;
}

}  // namespace

Result<std::unique_ptr<const TlsClientContext>> TlsClientContext::create(TlsClientOptions options) {
  tls::SslCtxPtr ctx(SSL_CTX_new(TLS_client_method()));
  PERCH_CHECK(ctx != nullptr);
  SSL_CTX_set_min_proto_version(ctx.get(), TLS1_2_VERSION);
  SSL_CTX_set_max_proto_version(
      ctx.get(), options.max_version == tls::Version::kTls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  PERCH_CHECK(SSL_CTX_set_ciphersuites(ctx.get(), kSuites13) == 1 &&
              SSL_CTX_set_cipher_list(ctx.get(), kCiphers12) == 1);
  // Buffers go back after each record. Nothing is resumed, so no ticket is worth keeping.
  SSL_CTX_set_mode(ctx.get(), SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(ctx.get(), SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_session_cache_mode(ctx.get(), SSL_SESS_CACHE_OFF);

  std::string protocols;
  for (const std::string& protocol : options.alpn) {
    protocols += static_cast<char>(protocol.size()) + protocol;
  }
  if (!protocols.empty()) {
    PERCH_CHECK(SSL_CTX_set_alpn_protos(ctx.get(),
                                        reinterpret_cast<const unsigned char*>(protocols.data()),
                                        static_cast<unsigned int>(protocols.size())) == 0);
  }
  if (options.verify) {
    const int loaded = options.ca_file.empty()
                           ? SSL_CTX_set_default_verify_paths(ctx.get())
                           : SSL_CTX_load_verify_file(ctx.get(), options.ca_file.c_str());
    if (loaded != 1) {
      return std::unexpected(
          tls::openssl_error(options.ca_file.empty() ? "the system's CAs" : options.ca_file));
    }
    SSL_CTX_set_verify(ctx.get(), SSL_VERIFY_PEER, nullptr);
  }
  return std::unique_ptr<const TlsClientContext>(
      new TlsClientContext(std::move(options), std::move(ctx)));
}

TlsClient::TlsClient(const TlsClientContext& context) : ssl_(SSL_new(context.ctx_.get())) {
  PERCH_CHECK(ssl_ != nullptr);
  SSL_set_connect_state(ssl_.get());
  const TlsClientOptions& options = context.options_;
  const bool address = is_address(options.host);
  if (!address) SSL_set_tlsext_host_name(ssl_.get(), options.host.c_str());
  if (!options.verify) return;
  X509_VERIFY_PARAM* const expected = SSL_get0_param(ssl_.get());
  PERCH_CHECK(address ? X509_VERIFY_PARAM_set1_ip_asc(expected, options.host.c_str()) == 1
                      : X509_VERIFY_PARAM_set1_host(expected, options.host.c_str(), 0) == 1);
}

void TlsClient::start(std::vector<std::byte>& out) {
  std::vector<std::byte> none;
  receive({}, none, out);
}

void TlsClient::receive(std::span<const std::byte> ciphertext, std::vector<std::byte>& plaintext,
                        std::vector<std::byte>& out) {
  if (state_ == State::kPeerClosed || state_ == State::kFailed) return;
  const tls::TransportScope transport(ssl_.get(), ciphertext, out);
  step(plaintext);
}

void TlsClient::step(std::vector<std::byte>& plaintext) {
  ERR_clear_error();
  if (state_ == State::kHandshaking) {
    const int result = SSL_do_handshake(ssl_.get());
    if (result != 1) return fail(SSL_get_error(ssl_.get(), result));
    state_ = State::kOpen;
  }
  std::array<std::byte, tls::kMaxPlaintextBytes> record;
  for (;;) {
    const int size = SSL_read(ssl_.get(), record.data(), static_cast<int>(record.size()));
    if (size <= 0) return fail(SSL_get_error(ssl_.get(), size));
    plaintext.insert(plaintext.end(), record.begin(), record.begin() + size);
  }
}

void TlsClient::fail(int ssl_error) {
  if (ssl_error == SSL_ERROR_WANT_READ) return;
  if (ssl_error == SSL_ERROR_ZERO_RETURN) {
    state_ = State::kPeerClosed;
    return;
  }
  state_ = State::kFailed;
  const long verified = SSL_get_verify_result(ssl_.get());
  const bool distrust =
      verified != X509_V_OK && (SSL_get_verify_mode(ssl_.get()) & SSL_VERIFY_PEER) != 0;
  failure_ = distrust ? std::string("the certificate: ") + X509_verify_cert_error_string(verified)
                      : "TLS: " + std::string(tls::take_openssl_reason());
  ERR_clear_error();
}

void TlsClient::seal(std::span<const std::byte> plaintext, std::vector<std::byte>& out) {
  PERCH_CHECK(state_ == State::kOpen);
  if (plaintext.empty()) return;
  const tls::TransportScope transport(ssl_.get(), {}, out);
  ERR_clear_error();
  std::size_t written = 0;
  // The transport takes everything, so a write is never partial.
  PERCH_CHECK(SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &written) == 1);
}

void TlsClient::close(std::vector<std::byte>& out) {
  if (state_ != State::kOpen && state_ != State::kPeerClosed) return;
  const tls::TransportScope transport(ssl_.get(), {}, out);
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void TlsClient::update_key(std::vector<std::byte>& out) {
  PERCH_CHECK(state_ == State::kOpen);
  const tls::TransportScope transport(ssl_.get(), {}, out);
  PERCH_CHECK(SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1 &&
              SSL_do_handshake(ssl_.get()) == 1);
}

std::string_view TlsClient::alpn() const {
  const unsigned char* protocol = nullptr;
  unsigned int size = 0;
  SSL_get0_alpn_selected(ssl_.get(), &protocol, &size);
  return {reinterpret_cast<const char*>(protocol), size};
}

std::string TlsClient::description() const {
  return std::string(SSL_get_version(ssl_.get())) + ", " + SSL_get_cipher_name(ssl_.get());
}

}  // namespace perch::load
