#include "tls/testing/certificates.h"

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>

#include "perch/base/check.h"

namespace perch::tls::testing {
namespace {

KeyPtr make_key(KeyKind kind) {
  if (kind == KeyKind::kEcdsa) return KeyPtr(EVP_EC_gen("P-256"));
  // Slow to make, and no test needs two.
  static const KeyPtr rsa(EVP_RSA_gen(2048));
  EVP_PKEY_up_ref(rsa.get());
  return KeyPtr(rsa.get());
}

void add_extension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str());
  PERCH_CHECK(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Issued make(const CertificateSpec& spec, X509* issuer, EVP_PKEY* issuer_key) {
  static std::atomic<long> serial = 1;
  Issued made{X509Ptr(X509_new()), make_key(spec.key)};
  X509* certificate = made.certificate.get();
  if (issuer == nullptr) {
    issuer = certificate;
    issuer_key = made.key.get();
  }
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial++);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(spec.common_name.c_str()), -1,
                             -1, 0);
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer));
  X509_gmtime_adj(X509_getm_notBefore(certificate), spec.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate), spec.valid_until);
  X509_set_pubkey(certificate, made.key.get());
  if (issuer == certificate) {
    add_extension(certificate, issuer, NID_basic_constraints, "critical,CA:TRUE");
  }
  std::string names;
  for (const std::string& name : spec.names) {
    const bool address = name.find(':') != std::string::npos ||
                         name.find_first_not_of("0123456789.") == std::string::npos;
    names += (names.empty() ? "" : ",") + std::string(address ? "IP:" : "DNS:") + name;
  }
  if (!names.empty()) add_extension(certificate, issuer, NID_subject_alt_name, names);
  PERCH_CHECK(X509_sign(certificate, issuer_key, EVP_sha256()) != 0);
  return made;
}

template <class Write>
std::string pem_of(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  PERCH_CHECK(write(bio.get()) == 1);
  char* text = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

std::string Issued::certificate_pem() const {
  return pem_of([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); });
}

std::string Issued::key_pem() const {
  return pem_of([&](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Authority::Authority(std::string_view common_name)
    : self_(make({.common_name = std::string(common_name)}, nullptr, nullptr)) {}

Issued Authority::issue(const CertificateSpec& spec) const {
  return make(spec, self_.certificate.get(), self_.key.get());
}

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "perch-tls-XXXXXX").string();
  PERCH_CHECK(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Folder::path(std::string_view name) const { return folder_ + "/" + std::string(name); }

std::string Folder::write(std::string_view name, std::string_view contents) const {
  const std::string file = path(name);
  std::ofstream out(file, std::ios::binary);
  out << contents;
  PERCH_CHECK(out.good());
  return file;
}

CertificateFiles Folder::write(std::string_view name, const Issued& issued) const {
  return {.chain = write(std::string(name) + ".pem", issued.certificate_pem()),
          .key = write(std::string(name) + ".key", issued.key_pem())};
}

}  // namespace perch::tls::testing
