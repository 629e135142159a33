#include "perch/tls/alert.h"

namespace perch::tls {

std::string_view to_string(Alert alert) {
  switch (alert) {
    case Alert::kCloseNotify:
      return "close_notify";
    case Alert::kUnexpectedMessage:
      return "unexpected_message";
    case Alert::kBadRecordMac:
      return "bad_record_mac";
    case Alert::kRecordOverflow:
      return "record_overflow";
    case Alert::kHandshakeFailure:
      return "handshake_failure";
    case Alert::kBadCertificate:
      return "bad_certificate";
    case Alert::kUnsupportedCertificate:
      return "unsupported_certificate";
    case Alert::kCertificateRevoked:
      return "certificate_revoked";
    case Alert::kCertificateExpired:
      return "certificate_expired";
    case Alert::kCertificateUnknown:
      return "certificate_unknown";
    case Alert::kIllegalParameter:
      return "illegal_parameter";
    case Alert::kUnknownCa:
      return "unknown_ca";
    case Alert::kAccessDenied:
      return "access_denied";
    case Alert::kDecodeError:
      return "decode_error";
    case Alert::kDecryptError:
      return "decrypt_error";
    case Alert::kProtocolVersion:
      return "protocol_version";
    case Alert::kInsufficientSecurity:
      return "insufficient_security";
    case Alert::kInternalError:
      return "internal_error";
    case Alert::kInappropriateFallback:
      return "inappropriate_fallback";
    case Alert::kUserCanceled:
      return "user_canceled";
    case Alert::kNoRenegotiation:
      return "no_renegotiation";
    case Alert::kMissingExtension:
      return "missing_extension";
    case Alert::kUnsupportedExtension:
      return "unsupported_extension";
    case Alert::kUnrecognizedName:
      return "unrecognized_name";
    case Alert::kBadCertificateStatusResponse:
      return "bad_certificate_status_response";
    case Alert::kUnknownPskIdentity:
      return "unknown_psk_identity";
    case Alert::kCertificateRequired:
      return "certificate_required";
    case Alert::kNoApplicationProtocol:
      return "no_application_protocol";
  }
  return "unknown";
}

}  // namespace perch::tls
