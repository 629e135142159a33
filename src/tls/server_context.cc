#include "perch/tls/server_context.h"

#include <algorithm>
#include <array>

#include <openssl/err.h>
#include <openssl/evp.h>

#include "perch/base/check.h"
#include "tls/certificate.h"
#include "tls/context_impl.h"

namespace perch::tls {
namespace {

constexpr const char* kSuites13 =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kSuites12 =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:"
    "ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
constexpr const char* kGroups = "X25519:P-256";
constexpr long kMaxClientChainBytes = 64 * 1024;

struct ClientAuthority {
  std::string pem;
  StorePtr store;  // null: client certificates are off
  std::vector<X509Ptr> certificates;
};

Result<ClientAuthority> load_client_authority(const ServerContextOptions& options) {
  ClientAuthority authority;
  if (options.client_certificates == ClientCertificates::kOff) return authority;
  auto pem = read_file(options.client_ca_file);
  if (!pem) return std::unexpected(std::move(pem.error()));
  auto certificates = parse_certificates(*pem, options.client_ca_file);
  if (!certificates) return std::unexpected(std::move(certificates.error()));
  authority.store.reset(X509_STORE_new());
  PERCH_CHECK(authority.store != nullptr);
  for (const X509Ptr& certificate : *certificates) {
    if (X509_STORE_add_cert(authority.store.get(), certificate.get()) != 1) {
      return std::unexpected(openssl_error(options.client_ca_file));
    }
  }
  authority.pem = std::move(*pem);
  authority.certificates = std::move(*certificates);
  return authority;
}

// A session is resumed only where clients are checked in the same way, whoever shares the keys.
std::array<unsigned char, 32> session_id_context(const ServerContextOptions& options,
                                                 const ClientAuthority& authority) {
  std::string input = "perch";
  input += static_cast<char>('0' + static_cast<int>(options.client_certificates));
  input += authority.pem;
  std::array<unsigned char, 32> digest{};
  PERCH_CHECK(
      EVP_Digest(input.data(), input.size(), digest.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return digest;
}

void set_client_verification(SSL_CTX* ctx, const ServerContextOptions& options,
                             const ClientAuthority& authority) {
  if (authority.store == nullptr) {
    SSL_CTX_set_verify(ctx, SSL_VERIFY_NONE, nullptr);
    return;
  }
  int mode = SSL_VERIFY_PEER;
  if (options.client_certificates == ClientCertificates::kRequire) {
    mode |= SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  SSL_CTX_set_verify(ctx, mode, nullptr);
  SSL_CTX_set1_cert_store(ctx, authority.store.get());
  SSL_CTX_set_max_cert_list(ctx, kMaxClientChainBytes);
  for (const X509Ptr& certificate : authority.certificates) {
    SSL_CTX_add_client_CA(ctx, certificate.get());
  }
}

SslCtxPtr make_ctx(const ServerContextOptions& options, const ServerContext::Impl& impl,
                   const ClientAuthority& authority) {
  SslCtxPtr made(SSL_CTX_new(TLS_server_method()));
  SSL_CTX* ctx = made.get();
  PERCH_CHECK(ctx != nullptr);
  // Set whatever the system's openssl.cnf says.
  const int oldest = options.min_version == Version::kTls13 ? TLS1_3_VERSION : TLS1_2_VERSION;
  SSL_CTX_set_security_level(ctx, 2);
  PERCH_CHECK(SSL_CTX_set_min_proto_version(ctx, oldest) == 1 &&
              SSL_CTX_set_max_proto_version(ctx, TLS1_3_VERSION) == 1 &&
              SSL_CTX_set_ciphersuites(ctx, kSuites13) == 1 &&
              SSL_CTX_set_cipher_list(ctx, kSuites12) == 1 &&
              SSL_CTX_set1_groups_list(ctx, kGroups) == 1);
  SSL_CTX_clear_options(ctx, SSL_OP_ALLOW_UNSAFE_LEGACY_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_options(ctx, SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                               SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_max_early_data(ctx, 0);
  SSL_CTX_set_read_ahead(ctx, 0);
  // Chains are sent as the file has them, never completed from the clients' authorities.
  SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_AUTO_RETRY | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_timeout(ctx, static_cast<long>(options.ticket_lifetime.count()));
  const auto id_context = session_id_context(options, authority);
  PERCH_CHECK(SSL_CTX_set_session_id_context(ctx, id_context.data(), id_context.size()) == 1);
  if (impl.ticket_keys != nullptr) {
    // A browser makes one connection where it can multiplex, and gets a new ticket with each.
    SSL_CTX_set_num_tickets(ctx, 1);
  } else {
    SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    SSL_CTX_set_num_tickets(ctx, 0);
  }
  set_client_verification(ctx, options, authority);
  set_callbacks(ctx, impl);
  return made;
}

Result<void> use(ServerContext::Impl::Group& group, Certificate certificate) {
  SSL_CTX* ctx = group.ctx.get();
  if (SSL_CTX_use_certificate(ctx, certificate.leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(ctx, certificate.key.get()) != 1) {
    return std::unexpected(openssl_error(certificate.chain_file));
  }
  for (const X509Ptr& issuer : certificate.issuers) {
    if (SSL_CTX_add1_chain_cert(ctx, issuer.get()) != 1) {
      return std::unexpected(openssl_error(certificate.chain_file));
    }
  }
  group.key_types.push_back(EVP_PKEY_get_base_id(certificate.key.get()));
  if (!certificate.ocsp_response.empty()) {
    group.staples.push_back({certificate.leaf.get(), std::move(certificate.ocsp_response)});
  }
  return {};
}

}  // namespace

const std::size_t* ServerContext::Impl::find(std::string_view host) const {
  if (const auto found = exact.find(host); found != exact.end()) return &found->second;
  const auto found = wildcards.find(after_first_label(host));
  return found != wildcards.end() ? &found->second : nullptr;
}

ServerContext::ServerContext(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ServerContext::~ServerContext() = default;

Result<std::shared_ptr<const ServerContext>> ServerContext::create(
    const ServerContextOptions& options) {
  if (options.certificates.empty()) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument, "TLS needs a certificate"));
  }
  for (const std::string& protocol : options.alpn) {
    if (protocol.empty() || protocol.size() > 255) {
      return std::unexpected(
          Error(ErrorCode::kInvalidArgument, "an ALPN protocol has 1 to 255 bytes"));
    }
  }
  auto authority = load_client_authority(options);
  if (!authority) return std::unexpected(std::move(authority.error()));

  auto impl = std::make_unique<Impl>();
  impl->alpn = options.alpn;
  impl->records_per_key = options.records_per_key;
  if (options.session_tickets) {
    impl->ticket_keys = options.ticket_keys != nullptr ? options.ticket_keys : TicketKeys::random();
  }
  for (const CertificateFiles& files : options.certificates) {
    auto certificate = load_certificate(files, impl->warnings);
    if (!certificate) return std::unexpected(std::move(certificate.error()));
    const int key_type = EVP_PKEY_get_base_id(certificate->key.get());
    auto group = std::ranges::find_if(impl->groups, [&](const Impl::Group& other) {
      return other.names == certificate->names &&
             std::ranges::find(other.key_types, key_type) == other.key_types.end();
    });
    if (group == impl->groups.end()) {
      impl->groups.push_back(
          {.ctx = make_ctx(options, *impl, *authority), .names = certificate->names});
      group = impl->groups.end() - 1;
      const auto index = static_cast<std::size_t>(group - impl->groups.begin());
      for (const std::string& name : group->names.exact) impl->exact.emplace(name, index);
      for (const std::string& name : group->names.wildcards) impl->wildcards.emplace(name, index);
    }
    if (auto used = use(*group, std::move(*certificate)); !used) {
      return std::unexpected(std::move(used.error()));
    }
  }
  ERR_clear_error();
  return std::shared_ptr<const ServerContext>(new ServerContext(std::move(impl)));
}

const std::vector<std::string>& ServerContext::warnings() const { return impl_->warnings; }

std::size_t ServerContext::select(std::string_view server_name) const {
  const std::size_t* found = impl_->find(normalise_host(server_name));
  return found != nullptr ? *found : 0;
}

bool ServerContext::names_cover(std::string_view authority) const {
  return std::ranges::any_of(impl_->groups, [&](const Impl::Group& group) {
    return group.names.covers_authority(authority);
  });
}

bool ServerContext::certificate_covers(std::size_t index, std::string_view authority) const {
  return impl_->groups.at(index).names.covers_authority(authority);
}

}  // namespace perch::tls
