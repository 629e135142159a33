#include <algorithm>
#include <cstring>

#include <openssl/err.h>

#include "perch/base/check.h"
#include "tls/context_impl.h"

namespace perch::tls {
namespace {

int impl_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  PERCH_CHECK(index >= 0);
  return index;
}

// The certificate for the name that the client asks for; the default where none has it.
int on_server_name(SSL* ssl, int*, void* argument) {
  const auto& impl = *static_cast<const ServerContext::Impl*>(argument);
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
  const std::size_t* found = impl.find(normalise_host(name));
  // Acknowledged all the same: otherwise a resumed connection of TLS 1.2 would not know the name.
  if (found == nullptr) return SSL_TLSEXT_ERR_OK;
  if (SSL_set_SSL_CTX(ssl, impl.groups[*found].ctx.get()) == nullptr) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  return SSL_TLSEXT_ERR_OK;
}

int on_alpn(SSL*, const unsigned char** chosen, unsigned char* chosen_length,
            const unsigned char* offered, unsigned int offered_length, void* argument) {
  const auto& impl = *static_cast<const ServerContext::Impl*>(argument);
  for (const std::string& protocol : impl.alpn) {
    for (unsigned int at = 0; at < offered_length; at += 1U + offered[at]) {
      const std::size_t length = offered[at];
      if (length == protocol.size() &&
          std::memcmp(offered + at + 1, protocol.data(), length) == 0) {
        *chosen = offered + at + 1;
        *chosen_length = offered[at];
        return SSL_TLSEXT_ERR_OK;
      }
    }
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

int on_status_request(SSL* ssl, void* argument) {
  const auto& impl = *static_cast<const ServerContext::Impl*>(argument);
  const X509* certificate = SSL_get_certificate(ssl);
  for (const auto& group : impl.groups) {
    for (const auto& staple : group.staples) {
      if (staple.certificate != certificate) continue;
      // OpenSSL frees it, so it gets a copy, which Connection drops when it has been sent.
      auto* copy = static_cast<unsigned char*>(
          OPENSSL_memdup(staple.response.data(), staple.response.size()));
      if (copy == nullptr) return SSL_TLSEXT_ERR_NOACK;
      SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(staple.response.size()));
      return SSL_TLSEXT_ERR_OK;
    }
  }
  return SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

const ServerContext::Impl& ServerContext::Impl::of(const SSL_CTX* ctx) {
  return *static_cast<const Impl*>(SSL_CTX_get_ex_data(ctx, impl_index()));
}

void set_callbacks(SSL_CTX* ctx, const ServerContext::Impl& impl) {
  auto* argument = const_cast<ServerContext::Impl*>(&impl);  // read only, by the functions above
  PERCH_CHECK(SSL_CTX_set_ex_data(ctx, impl_index(), argument) == 1);
  SSL_CTX_set_tlsext_servername_callback(ctx, on_server_name);
  SSL_CTX_set_tlsext_servername_arg(ctx, argument);
  if (!impl.alpn.empty()) SSL_CTX_set_alpn_select_cb(ctx, on_alpn, argument);
  SSL_CTX_set_tlsext_status_cb(ctx, on_status_request);
  SSL_CTX_set_tlsext_status_arg(ctx, argument);
  if (impl.ticket_keys != nullptr) SSL_CTX_set_tlsext_ticket_key_evp_cb(ctx, seal_or_open_ticket);
  // Where our own record layer takes connections over after the handshake, it learns their traffic
  // secrets by SSL_CTX_set_keylog_callback. It belongs here: after a server name has selected
  // another SSL_CTX, that one's callback is the one which runs.
}

}  // namespace perch::tls
