// Certificates and keys for the tests of TLS, made on the spot.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "perch/tls/server_context.h"
#include "tls/openssl.h"

namespace perch::tls::testing {

enum class KeyKind { kEcdsa, kRsa };

struct CertificateSpec {
  std::string common_name = "test";
  std::vector<std::string> names;  // host names; none makes a certificate without the extension
  KeyKind key = KeyKind::kEcdsa;
  long valid_from = -3600;  // seconds from now
  long valid_until = 3600;
};

struct Issued {
  X509Ptr certificate;
  KeyPtr key;
  std::string certificate_pem() const;
  std::string key_pem() const;
};

// A certificate authority of its own.
class Authority {
 public:
  explicit Authority(std::string_view common_name = "Test CA");
  Issued issue(const CertificateSpec& spec) const;
  X509* certificate() const { return self_.certificate.get(); }
  std::string pem() const { return self_.certificate_pem(); }

 private:
  Issued self_;
};

// A folder for one test's files, removed at its end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Returns the path.
  std::string write(std::string_view name, std::string_view contents) const;
  std::string path(std::string_view name) const;
  // The pair of files <name>.pem, <name>.key.
  CertificateFiles write(std::string_view name, const Issued& issued) const;

 private:
  std::string folder_;
};

}  // namespace perch::tls::testing
