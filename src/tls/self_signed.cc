#include "perch/tls/self_signed.h"

#include <arpa/inet.h>

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "perch/base/check.h"
#include "tls/openssl.h"

namespace perch::tls {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;

bool is_address(const std::string& name) {
  char bytes[16];
  return inet_pton(AF_INET, name.c_str(), bytes) == 1 ||
         inet_pton(AF_INET6, name.c_str(), bytes) == 1;
}

// Names go into OpenSSL's configuration syntax: nothing that means something there may pass.
bool is_plain(const std::string& name) {
  return !name.empty() && name.size() <= 253 &&
         name.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
             "0123456789-_.:*") == std::string::npos;
}

bool add_extension(X509* certificate, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool set_random_serial(X509* certificate) {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
  bytes[0] = static_cast<unsigned char>((bytes[0] & 0x7f) | 0x40);  // positive, of full length
  const std::unique_ptr<BIGNUM, Freer<BN_free>> number(BN_bin2bn(bytes, sizeof bytes, nullptr));
  return number != nullptr &&
         BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) != nullptr;
}

bool set_subject(X509* certificate, const std::string& name) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  // A common name has at most 64 characters (RFC 5280); nothing reads it where there are SANs.
  const std::string common_name = name.substr(0, 64);
  return X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char*>(common_name.c_str()), -1,
                                    -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1;
}

std::string text_of(BIO* bio) {
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio, &text);
  return {text, static_cast<std::size_t>(size)};
}

X509Ptr make_certificate(EVP_PKEY* key, const SelfSignedOptions& options,
                         const std::string& alternative_names) {
  X509Ptr made(X509_new());
  X509* certificate = made.get();
  const long seconds = std::chrono::duration_cast<std::chrono::seconds>(options.lifetime).count();
  const bool good = certificate != nullptr && X509_set_version(certificate, X509_VERSION_3) == 1 &&
                    set_random_serial(certificate) &&
                    set_subject(certificate, options.names.front()) &&
                    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600) != nullptr &&
                    X509_gmtime_adj(X509_getm_notAfter(certificate), seconds - 3600) != nullptr &&
                    X509_set_pubkey(certificate, key) == 1 &&
                    add_extension(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
                    add_extension(certificate, NID_key_usage, "critical,digitalSignature") &&
                    add_extension(certificate, NID_ext_key_usage, "serverAuth") &&
                    add_extension(certificate, NID_subject_key_identifier, "hash") &&
                    add_extension(certificate, NID_subject_alt_name, alternative_names) &&
                    X509_sign(certificate, key, EVP_sha256()) != 0;
  return good ? std::move(made) : nullptr;
}

}  // namespace

Result<PemPair> make_self_signed(const SelfSignedOptions& options) {
  std::string alternative_names;
  for (const std::string& name : options.names) {
    const bool address = is_address(name);
    if (!is_plain(name) || (!address && name.find(':') != std::string::npos)) {
      return std::unexpected(Error(ErrorCode::kInvalidArgument, "not a host name: " + name));
    }
    if (!alternative_names.empty()) alternative_names += ',';
    alternative_names += (address ? "IP:" : "DNS:") + name;
  }
  if (options.names.empty()) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument, "a certificate needs a name"));
  }
  ERR_clear_error();
  const KeyPtr key(EVP_EC_gen("P-256"));
  if (key == nullptr) return std::unexpected(openssl_error("P-256 key", ErrorCode::kSystem));
  const X509Ptr certificate = make_certificate(key.get(), options, alternative_names);
  if (certificate == nullptr) {
    return std::unexpected(openssl_error("self-signed certificate", ErrorCode::kSystem));
  }
  const BioPtr certificate_pem(BIO_new(BIO_s_mem()));
  const BioPtr key_pem(BIO_new(BIO_s_secmem()));
  PERCH_CHECK(certificate_pem != nullptr && key_pem != nullptr);
  if (PEM_write_bio_X509(certificate_pem.get(), certificate.get()) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_pem.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                    nullptr) != 1) {
    return std::unexpected(openssl_error("writing PEM", ErrorCode::kSystem));
  }
  return PemPair{text_of(certificate_pem.get()), text_of(key_pem.get())};
}

Result<std::chrono::system_clock::time_point> certificate_expiry(std::string_view pem) {
  const X509Ptr certificate(PEM_read_bio_X509(reading_bio(pem).get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return std::unexpected(openssl_error("certificate"));
  int days = 0;
  int seconds = 0;
  const auto now = std::chrono::system_clock::now();
  if (ASN1_TIME_diff(&days, &seconds, nullptr, X509_get0_notAfter(certificate.get())) != 1) {
    return std::unexpected(openssl_error("certificate's expiry"));
  }
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      now + std::chrono::days(days) + std::chrono::seconds(seconds));
}

}  // namespace perch::tls
