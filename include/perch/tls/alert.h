// Alerts of TLS (RFC 8446 section 6, RFC 5246 section 7.2).
#pragma once

#include <cstdint>
#include <string_view>

namespace perch::tls {

enum class Alert : std::uint8_t {
  kCloseNotify = 0,
  kUnexpectedMessage = 10,
  kBadRecordMac = 20,
  kRecordOverflow = 22,
  kHandshakeFailure = 40,
  kBadCertificate = 42,
  kUnsupportedCertificate = 43,
  kCertificateRevoked = 44,
  kCertificateExpired = 45,
  kCertificateUnknown = 46,
  kIllegalParameter = 47,
  kUnknownCa = 48,
  kAccessDenied = 49,
  kDecodeError = 50,
  kDecryptError = 51,
  kProtocolVersion = 70,
  kInsufficientSecurity = 71,
  kInternalError = 80,
  kInappropriateFallback = 86,
  kUserCanceled = 90,
  kNoRenegotiation = 100,
  kMissingExtension = 109,
  kUnsupportedExtension = 110,
  kUnrecognizedName = 112,
  kBadCertificateStatusResponse = 113,
  kUnknownPskIdentity = 115,
  kCertificateRequired = 116,
  kNoApplicationProtocol = 120,
};

// The RFC's name, "bad_record_mac"; "unknown" for a value that it does not give.
std::string_view to_string(Alert alert);

}  // namespace perch::tls
