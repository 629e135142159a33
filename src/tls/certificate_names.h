// The subject alternative names of a certificate, and what they cover (RFC 9525).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tls/openssl.h"

namespace perch::tls {

struct CertificateNames {
  std::vector<std::string> exact;      // lower case
  std::vector<std::string> wildcards;  // what follows the star: ".example.com"
  std::vector<std::string> addresses;  // 4 or 16 bytes

  static CertificateNames of(const X509* certificate);

  bool empty() const { return exact.empty() && wildcards.empty() && addresses.empty(); }
  // `host` is a normalised name.
  bool covers_name(std::string_view host) const;
  bool covers_authority(std::string_view authority) const;

  friend bool operator==(const CertificateNames&, const CertificateNames&) = default;
};

// In lower case, without a dot at the end.
std::string normalise_host(std::string_view host);

// The part of a normalised host that a wildcard's suffix is compared with: from the first dot on.
std::string_view after_first_label(std::string_view host);

}  // namespace perch::tls
