// Certificates as files: reading and judging them.
#pragma once

#include <string>
#include <vector>

#include "perch/tls/server_context.h"
#include "tls/certificate_names.h"
#include "tls/openssl.h"

namespace perch::tls {

struct Certificate {
  X509Ptr leaf;
  std::vector<X509Ptr> issuers;
  KeyPtr key;
  CertificateNames names;
  std::string ocsp_response;
  std::string chain_file;  // for messages
};

// Appends to `warnings` what is odd about a certificate that can be used.
Result<Certificate> load_certificate(const CertificateFiles& files,
                                     std::vector<std::string>& warnings);

// The certificates of a PEM file, one at least.
Result<std::vector<X509Ptr>> parse_certificates(std::string_view pem, const std::string& path);

}  // namespace perch::tls
