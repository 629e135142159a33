#include "tls/certificate.h"

#include <openssl/err.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>

namespace perch::tls {
namespace {

using OcspPtr = std::unique_ptr<OCSP_RESPONSE, Freer<OCSP_RESPONSE_free>>;

Error bad_file(const std::string& path, std::string_view reason) {
  return {ErrorCode::kInvalidArgument, path + ": " + std::string(reason)};
}

// Instead of a question on the terminal.
int no_password(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<std::string> text_of(const std::string& path_or_text, bool in_memory) {
  if (in_memory) return path_or_text;
  return read_file(path_or_text);
}

Result<KeyPtr> load_key(const CertificateFiles& files) {
  auto pem = text_of(files.key, files.in_memory);
  if (!pem) return std::unexpected(std::move(pem.error()));
  const std::string path = files.in_memory ? "key in memory" : files.key;
  bool asked = false;
  KeyPtr key(PEM_read_bio_PrivateKey(reading_bio(*pem).get(), nullptr, no_password, &asked));
  OPENSSL_cleanse(pem->data(), pem->size());
  ERR_clear_error();
  if (key != nullptr) return key;
  return std::unexpected(
      bad_file(path, asked ? "the private key is encrypted" : "holds no private key in PEM"));
}

void judge(const Certificate& certificate, std::vector<std::string>& warnings) {
  const auto warn = [&](std::string_view what) {
    warnings.push_back(certificate.chain_file + ": " + std::string(what));
  };
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.leaf.get())) < 0) {
    warn("the certificate has expired");
  }
  if (X509_cmp_current_time(X509_get0_notBefore(certificate.leaf.get())) > 0) {
    warn("the certificate is not valid yet");
  }
  if (certificate.names.empty()) {
    warn("the certificate has no subject alternative names, so clients will not accept it");
  }
}

}  // namespace

Result<std::vector<X509Ptr>> parse_certificates(std::string_view pem, const std::string& path) {
  const BioPtr bio = reading_bio(pem);
  std::vector<X509Ptr> found;
  while (X509* next = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    found.emplace_back(next);
  }
  const unsigned long error = ERR_peek_last_error();
  const bool at_end =
      ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  if (!at_end) return std::unexpected(openssl_error(path + ": damaged certificate"));
  ERR_clear_error();
  if (found.empty()) return std::unexpected(bad_file(path, "holds no certificate in PEM"));
  return found;
}

Result<Certificate> load_certificate(const CertificateFiles& files,
                                     std::vector<std::string>& warnings) {
  const std::string name = files.in_memory ? "certificate in memory" : files.chain;
  auto pem = text_of(files.chain, files.in_memory);
  if (!pem) return std::unexpected(std::move(pem.error()));
  auto chain = parse_certificates(*pem, name);
  if (!chain) return std::unexpected(std::move(chain.error()));
  auto key = load_key(files);
  if (!key) return std::unexpected(std::move(key.error()));

  Certificate certificate;
  certificate.leaf = std::move(chain->front());
  for (std::size_t i = 1; i < chain->size(); ++i) {
    certificate.issuers.push_back(std::move((*chain)[i]));
  }
  certificate.key = std::move(*key);
  certificate.chain_file = name;
  if (X509_check_private_key(certificate.leaf.get(), certificate.key.get()) != 1) {
    ERR_clear_error();
    return std::unexpected(bad_file(files.in_memory ? "key in memory" : files.key,
                                    "the key does not belong to the certificate in " + name));
  }
  certificate.names = CertificateNames::of(certificate.leaf.get());
  if (!files.ocsp_response.empty()) {
    auto response = read_file(files.ocsp_response);
    if (!response) return std::unexpected(std::move(response.error()));
    const auto* bytes = reinterpret_cast<const unsigned char*>(response->data());
    const OcspPtr parsed(d2i_OCSP_RESPONSE(nullptr, &bytes, static_cast<long>(response->size())));
    ERR_clear_error();
    if (parsed == nullptr) {
      return std::unexpected(bad_file(files.ocsp_response, "is not an OCSP response in DER"));
    }
    certificate.ocsp_response = std::move(*response);
  }
  judge(certificate, warnings);
  return certificate;
}

}  // namespace perch::tls
