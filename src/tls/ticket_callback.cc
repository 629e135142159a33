#include <algorithm>

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "perch/base/check.h"
#include "tls/context_impl.h"

namespace perch::tls {
namespace {

// Fetched once: an implicit fetch costs more than the sealing. Never freed.
const EVP_CIPHER* ticket_cipher() {
  static const EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CBC", nullptr);
  PERCH_CHECK(cipher != nullptr);
  return cipher;
}

bool set_mac_key(EVP_MAC_CTX* mac, const TicketKey& key) {
  char digest[] = "SHA256";
  // OpenSSL takes the octets without changing them.
  auto* bytes = const_cast<std::byte*>(key.mac_key.data());
  const OSSL_PARAM parameters[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, bytes, key.mac_key.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  return EVP_MAC_CTX_set_params(mac, parameters) == 1;
}

const unsigned char* bytes_of(const TicketKey& key) {
  return reinterpret_cast<const unsigned char*>(key.cipher_key.data());
}

}  // namespace

int seal_or_open_ticket(SSL* ssl, unsigned char* name, unsigned char* iv, EVP_CIPHER_CTX* cipher,
                        EVP_MAC_CTX* mac, int sealing) {
  constexpr int kFailed = -1;
  constexpr int kUnknownKey = 0;  // a full handshake instead
  constexpr int kGood = 1;
  constexpr int kGoodButRenew = 2;
  const auto& impl = ServerContext::Impl::of(SSL_get_SSL_CTX(ssl));
  if (impl.ticket_keys == nullptr) return kUnknownKey;
  if (sealing != 0) {
    const TicketKey key = impl.ticket_keys->current();
    std::ranges::copy(key.name, reinterpret_cast<std::byte*>(name));
    const bool good =
        RAND_bytes(iv, EVP_CIPHER_get_iv_length(ticket_cipher())) == 1 &&
        EVP_EncryptInit_ex(cipher, ticket_cipher(), nullptr, bytes_of(key), iv) == 1 &&
        set_mac_key(mac, key);
    return good ? kGood : kFailed;
  }
  const auto found = impl.ticket_keys->find(
      std::span<const std::byte, 16>(reinterpret_cast<const std::byte*>(name), 16));
  if (!found) return kUnknownKey;
  const bool good =
      EVP_DecryptInit_ex(cipher, ticket_cipher(), nullptr, bytes_of(found->key), iv) == 1 &&
      set_mac_key(mac, found->key);
  if (!good) return kFailed;
  // A client of TLS 1.3 uses a ticket once (RFC 8446 appendix C.4) and needs another.
  const bool renew = !found->current || SSL_version(ssl) == TLS1_3_VERSION;
  return renew ? kGoodButRenew : kGood;
}

}  // namespace perch::tls
