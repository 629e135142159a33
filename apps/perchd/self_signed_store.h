// The certificate of those who have none: self-signed, made on the first run and kept for the next.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "perch/base/error.h"
#include "perch/tls/server_context.h"
#include "perchd/config.h"

namespace perch::perchd {

// What a certificate for these listeners should cover: localhost with its addresses, the hosts of
// the https URLs, and where one of those is `*`, the machine's own name.
std::vector<std::string> self_signed_names(const std::vector<std::string>& listen);

struct SelfSigned {
  // In memory in any case: a process that has given up its privileges may need it again.
  tls::CertificateFiles files;
  std::chrono::system_clock::time_point expiry;
  std::string remark;  // one line for the log: that it is self-signed, and where it is

  // Valid for more than 30 days from `now`.
  bool lasts(std::chrono::system_clock::time_point now) const;
};

// The certificate in `directory` while it covers `names` and is valid for more than 30 days from
// `now`; else a new one, which replaces it. `directory` may be missing, or "" for none. Errors:
// only where no certificate can be made.
Result<SelfSigned> self_signed_certificate(const std::vector<std::string>& names,
                                           const std::string& directory,
                                           std::chrono::system_clock::time_point now);

}  // namespace perch::perchd
