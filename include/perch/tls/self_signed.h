// A certificate that nobody has to ask for: for a first run and for tests, not for the Internet.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/error.h"

namespace perch::tls {

struct SelfSignedOptions {
  // Host names, wildcards and IP addresses; the first is the subject's common name too.
  std::vector<std::string> names = {"localhost", "127.0.0.1", "::1"};
  std::chrono::hours lifetime = std::chrono::days(397);  // what browsers accept at most
};

struct PemPair {
  std::string certificate;
  std::string key;  // PKCS #8; write it where only the server's user can read it
};

// A P-256 key and a certificate for it, valid from an hour ago.
Result<PemPair> make_self_signed(const SelfSignedOptions& options = {});

// When the first certificate of a PEM text expires.
Result<std::chrono::system_clock::time_point> certificate_expiry(std::string_view pem);

}  // namespace perch::tls
