#include "perch/tls/connection.h"

#include <algorithm>

#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include "perch/base/check.h"
#include "tls/connection_callbacks.h"
#include "tls/context_impl.h"
#include "tls/openssl.h"
#include "tls/record.h"
#include "tls/span_bio.h"

namespace perch::tls {
namespace {

std::string subject_of(const X509* certificate) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PERCH_CHECK(bio != nullptr);
  X509_NAME_print_ex(bio.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

void Connection::SslDeleter::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }

Connection::Connection(std::shared_ptr<const ServerContext> context)
    : context_(std::move(context)), ssl_(SSL_new(context_->impl().groups.front().ctx.get())) {
  PERCH_CHECK(ssl_ != nullptr);
  SSL_set_accept_state(ssl_.get());
  SSL_set_msg_callback(ssl_.get(), ConnectionCallbacks::on_message);
  SSL_set_msg_callback_arg(ssl_.get(), this);
}

Connection::~Connection() = default;

void Connection::receive(std::span<const std::byte> ciphertext, Sink& sink,
                         std::vector<std::byte>& out) {
  PERCH_CHECK(!receiving_);
  receiving_ = true;
  while (!ciphertext.empty() && (state_ == State::kHandshaking || state_ == State::kOpen)) {
    const auto records = assembler_.take(ciphertext);
    if (records.empty()) break;
    if (check_first_record(records, out)) process(records, sink, out);
    if (assembler_.held() != 0) assembler_.release();
  }
  receiving_ = false;
  if (state_ == State::kFailed) assembler_.release();
  free_engine_if_failed();
}

// OpenSSL would take a hello of SSL 2, and says nothing to a client that speaks another protocol.
bool Connection::check_first_record(std::span<const std::byte> records,
                                    std::vector<std::byte>& out) {
  if (first_record_seen_) return true;
  first_record_seen_ = true;
  if (looks_like_http(records)) {
    fail(Alert::kUnexpectedMessage, "HTTP without TLS");
    failure_->in_clear = true;
    return false;
  }
  const bool handshake = records[0] == static_cast<std::byte>(ContentType::kHandshake);
  if (handshake && records[1] == std::byte{3}) return true;
  const Alert alert = handshake ? Alert::kProtocolVersion : Alert::kUnexpectedMessage;
  const std::byte fatal_alert[] = {
      static_cast<std::byte>(ContentType::kAlert),
      std::byte{3},
      std::byte{3},
      std::byte{0},
      std::byte{2},
      std::byte{2},
      static_cast<std::byte>(alert),
  };
  out.insert(out.end(), std::begin(fatal_alert), std::end(fatal_alert));
  fail(alert, "not a TLS handshake");
  return false;
}

void Connection::process(std::span<const std::byte> records, Sink& sink,
                         std::vector<std::byte>& out) {
  const TransportScope transport(ssl_.get(), records, out);
  if (ERR_peek_error() != 0) ERR_clear_error();
  if (state_ == State::kHandshaking) {
    if (const int result = SSL_do_handshake(ssl_.get()); result != 1) {
      on_read_result(result);
      return;
    }
    // Requests may ride in the client's last flight: they are still unread.
    finish_handshake();
  }
  std::byte plaintext[kMaxPlaintextBytes];
  while (state_ == State::kOpen) {
    std::size_t size = 0;
    const int result = SSL_read_ex(ssl_.get(), plaintext, sizeof plaintext, &size);
    if (result != 1) {
      on_read_result(result);
      return;
    }
    idle_messages_ = 0;
    sink.on_plaintext({plaintext, size});
  }
}

void Connection::on_read_result(int result) {
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      if (idle_messages_ > kMaxIdleMessages) {
        fail(Alert::kUnexpectedMessage, "too many handshake messages without data");
      }
      return;
    case SSL_ERROR_ZERO_RETURN:
      if (state_ == State::kHandshaking) {
        fail(Alert::kCloseNotify, "closed during the handshake");
        failure_->by_peer = true;
      } else {
        state_ = State::kPeerClosed;
      }
      return;
    default:
      break;
  }
  std::string_view reason = take_openssl_reason();
  if (const long verified = SSL_get_verify_result(ssl_.get()); verified != X509_V_OK) {
    reason = X509_verify_cert_error_string(verified);
  }
  fail(last_alert_.value_or(Alert::kInternalError), reason);
  failure_->by_peer = alert_received_;
}

void Connection::finish_handshake() {
  SSL* ssl = ssl_.get();
  const auto& impl = context_->impl();
  state_ = State::kOpen;
  idle_messages_ = 0;
  version_ = SSL_version(ssl) == TLS1_3_VERSION ? Version::kTls13 : Version::kTls12;
  cipher_ = SSL_CIPHER_standard_name(SSL_get_current_cipher(ssl));
  resumed_ = SSL_session_reused(ssl) == 1;
  if (const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name)) {
    server_name_ = normalise_host(name);
  }
  const unsigned char* protocol = nullptr;
  unsigned int length = 0;
  SSL_get0_alpn_selected(ssl, &protocol, &length);
  const auto chosen = std::ranges::find(
      impl.alpn, std::string_view(reinterpret_cast<const char*>(protocol), length));
  if (length != 0 && chosen != impl.alpn.end()) {
    alpn_ = static_cast<std::uint8_t>(chosen - impl.alpn.begin() + 1);
  }
  const auto group = std::ranges::find_if(
      impl.groups, [&](const auto& other) { return other.ctx.get() == SSL_get_SSL_CTX(ssl); });
  PERCH_CHECK(group != impl.groups.end());
  certificate_index_ = static_cast<std::uint16_t>(group - impl.groups.begin());
  if (const X509* certificate = SSL_get0_peer_certificate(ssl)) {
    peer_subject_ = std::make_unique<std::string>(subject_of(certificate));
  }
  SSL_set_tlsext_status_ocsp_resp(ssl, nullptr, 0);  // sent, and up to some kilobytes
}

bool Connection::can_seal() const {
  return (state_ == State::kOpen || state_ == State::kPeerClosed) && !close_sent_;
}

bool Connection::seal(std::span<const std::byte> plaintext, std::vector<std::byte>& out) {
  if (!can_seal()) return false;
  if (plaintext.empty()) return true;
  const TransportScope transport(ssl_.get(), {}, out);
  if (ERR_peek_error() != 0) ERR_clear_error();
  if (version_ == Version::kTls13 && records_sealed_ >= context_->impl().records_per_key) {
    SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED);
    records_sealed_ = 0;
  }
  records_sealed_ += (plaintext.size() + kMaxPlaintextBytes - 1) / kMaxPlaintextBytes;
  std::size_t written = 0;
  if (SSL_write_ex(ssl_.get(), plaintext.data(), plaintext.size(), &written) == 1) return true;
  fail(Alert::kInternalError, take_openssl_reason());
  return false;
}

void Connection::close(std::vector<std::byte>& out) {
  if (!can_seal()) return;
  const TransportScope transport(ssl_.get(), {}, out);
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
  close_sent_ = true;
}

std::string_view Connection::alpn() const {
  return alpn_ == 0 ? std::string_view() : context_->impl().alpn[alpn_ - 1U];
}

bool Connection::certificate_covers(std::string_view authority) const {
  return context_->certificate_covers(certificate_index_, authority);
}

void Connection::fail(Alert alert, std::string_view reason) {
  state_ = State::kFailed;
  failure_ = Failure{.alert = alert, .by_peer = false, .in_clear = false, .reason = reason};
}

// Not from within OpenSSL, nor while `receive` still uses the object.
void Connection::free_engine_if_failed() {
  if (state_ == State::kFailed && !receiving_) ssl_.reset();
}

}  // namespace perch::tls
