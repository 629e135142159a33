// What a ServerContext holds, for the files of this layer that talk to OpenSSL.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "perch/tls/server_context.h"
#include "tls/certificate_names.h"
#include "tls/openssl.h"

namespace perch::tls {

struct ServerContext::Impl {
  // An SSL_CTX for each set of names, with a certificate for each kind of key.
  struct Group {
    SslCtxPtr ctx;
    CertificateNames names;
    std::vector<int> key_types;
    struct Staple {
      const X509* certificate;  // owned by ctx
      std::string response;
    };
    std::vector<Staple> staples;
  };

  std::vector<Group> groups;
  // Names to positions in `groups`; wildcards without their star.
  std::map<std::string, std::size_t, std::less<>> exact;
  std::map<std::string, std::size_t, std::less<>> wildcards;

  std::vector<std::string> alpn;
  std::shared_ptr<TicketKeys> ticket_keys;  // null: no tickets
  std::vector<std::string> warnings;
  std::uint64_t records_per_key = 0;

  // `host` is normalised. Null where no certificate has the name.
  const std::size_t* find(std::string_view host) const;

  // The Impl that made `ctx`.
  static const Impl& of(const SSL_CTX* ctx);
};

// Lets `ctx` call back for names, protocols, staples and tickets (context_callbacks.cc).
void set_callbacks(SSL_CTX* ctx, const ServerContext::Impl& impl);
// As SSL_CTX_set_tlsext_ticket_key_evp_cb wants it (ticket_callback.cc).
int seal_or_open_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                        EVP_MAC_CTX* mac, int sealing);

}  // namespace perch::tls
