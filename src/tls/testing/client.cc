#include "tls/testing/client.h"

#include <openssl/err.h>

#include "perch/base/check.h"

namespace perch::tls::testing {

Client::Client(const ClientOptions& options) : ctx_(SSL_CTX_new(TLS_client_method())) {
  SSL_CTX* ctx = ctx_.get();
  SSL_CTX_set_security_level(ctx, 0);
  PERCH_CHECK(SSL_CTX_set_min_proto_version(ctx, options.min_version) == 1);
  PERCH_CHECK(SSL_CTX_set_max_proto_version(ctx, options.max_version) == 1);
  PERCH_CHECK(SSL_CTX_set_cipher_list(ctx, options.ciphers12.c_str()) == 1);
  if (!options.suites13.empty()) {
    PERCH_CHECK(SSL_CTX_set_ciphersuites(ctx, options.suites13.c_str()) == 1);
  }
  if (!options.groups.empty()) {
    PERCH_CHECK(SSL_CTX_set1_groups_list(ctx, options.groups.c_str()) == 1);
  }
  if (!options.signature_algorithms.empty()) {
    PERCH_CHECK(SSL_CTX_set1_sigalgs_list(ctx, options.signature_algorithms.c_str()) == 1);
  }
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(ctx, on_session);
  if (options.certificate != nullptr) {
    SSL_CTX_use_certificate(ctx, options.certificate->certificate.get());
    SSL_CTX_use_PrivateKey(ctx, options.certificate->key.get());
  }
  std::string protocols;
  for (const std::string& protocol : options.alpn) {
    protocols += static_cast<char>(protocol.size()) + protocol;
  }
  ssl_.reset(SSL_new(ctx));
  SSL_set_ex_data(ssl(), 0, this);
  SSL_set_info_callback(ssl(), on_info);
  SSL_set_connect_state(ssl());
  SSL_set_bio(ssl(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  BIO_set_mem_eof_return(SSL_get_rbio(ssl()), -1);
  if (!protocols.empty()) {
    SSL_set_alpn_protos(ssl(), reinterpret_cast<const unsigned char*>(protocols.data()),
                        static_cast<unsigned int>(protocols.size()));
  }
  if (!options.server_name.empty()) SSL_set_tlsext_host_name(ssl(), options.server_name.c_str());
  if (options.wants_staple) SSL_set_tlsext_status_type(ssl(), TLSEXT_STATUSTYPE_ocsp);
  if (options.session != nullptr) {
    // OpenSSL marks a session that a newer ticket replaces: the copy.
    const SessionPtr copy(SSL_SESSION_dup(options.session));
    SSL_set_session(ssl(), copy.get());
  }
  step();
}

int Client::on_session(SSL* ssl, SSL_SESSION* session) {
  static_cast<Client*>(SSL_get_ex_data(ssl, 0))->sessions_.emplace_back(session);
  return 1;
}

void Client::on_info(const SSL* ssl, int where, int value) {
  auto& client = *static_cast<Client*>(SSL_get_ex_data(ssl, 0));
  const Alert alert{static_cast<std::uint8_t>(value & 0xff)};
  if (where == SSL_CB_READ_ALERT) client.alert_received_ = alert;
  if (where == SSL_CB_WRITE_ALERT) client.alert_sent_ = alert;
}

void Client::receive(std::span<const std::byte> bytes) {
  if (!bytes.empty()) {
    BIO_write(SSL_get_rbio(ssl()), bytes.data(), static_cast<int>(bytes.size()));
  }
  step();
}

std::vector<std::byte> Client::take_output() {
  std::vector<std::byte> bytes(BIO_ctrl_pending(SSL_get_wbio(ssl())));
  if (!bytes.empty()) {
    BIO_read(SSL_get_wbio(ssl()), bytes.data(), static_cast<int>(bytes.size()));
  }
  return bytes;
}

void Client::step() {
  if (failed_ || server_closed_) return;
  ERR_clear_error();
  int result = 1;
  if (!connected_) {
    result = SSL_do_handshake(ssl());
    connected_ = result == 1;
  }
  char buffer[20000];
  while (connected_ && (result = SSL_read(ssl(), buffer, sizeof buffer)) > 0) {
    received_.append(buffer, static_cast<std::size_t>(result));
  }
  if (result > 0) return;
  const int error = SSL_get_error(ssl(), result);
  server_closed_ = error == SSL_ERROR_ZERO_RETURN;
  failed_ = error == SSL_ERROR_SSL || error == SSL_ERROR_SYSCALL;
  ERR_clear_error();
}

void Client::send(std::string_view text) {
  PERCH_CHECK(SSL_write(ssl(), text.data(), static_cast<int>(text.size())) ==
              static_cast<int>(text.size()));
}

void Client::update_key(bool ask_for_the_servers) {
  PERCH_CHECK(SSL_key_update(ssl(), ask_for_the_servers ? SSL_KEY_UPDATE_REQUESTED
                                                        : SSL_KEY_UPDATE_NOT_REQUESTED) == 1);
  PERCH_CHECK(SSL_do_handshake(ssl()) == 1);
}

void Client::renegotiate() {
  PERCH_CHECK(SSL_renegotiate(ssl()) == 1);
  SSL_do_handshake(ssl());
}

std::string Client::alpn() const {
  const unsigned char* protocol = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl(), &protocol, &length);
  return {reinterpret_cast<const char*>(protocol), length};
}

std::string Client::peer_name() const {
  X509* certificate = SSL_get0_peer_certificate(ssl());
  if (certificate == nullptr) return {};
  char name[256] = {};
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
  return name;
}

std::string Client::staple() const {
  const unsigned char* response = nullptr;
  const long size = SSL_get_tlsext_status_ocsp_resp(ssl(), &response);
  return size <= 0
             ? std::string()
             : std::string(reinterpret_cast<const char*>(response), static_cast<std::size_t>(size));
}

}  // namespace perch::tls::testing
