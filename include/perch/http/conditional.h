// Preconditions (RFC 9110 section 13).
#pragma once

#include <cstdint>
#include <string_view>

#include "perch/http/fields.h"
#include "perch/http/method.h"

namespace perch::http {

struct Validators {
  std::string_view etag;            // with quotes and W/ as sent; "" for none
  std::int64_t last_modified = -1;  // unix seconds; -1 for none
};

enum class Precondition : std::uint8_t {
  kProceed,
  kNotModified,  // 304; only for GET and HEAD
  kFailed,       // 412
};

// In the order of RFC 9110 section 13.2.2, for a resource that exists. Malformed dates are ignored.
Precondition evaluate(Method method, const Fields& request, const Validators& validators,
                      std::int64_t now_unix_seconds);

}  // namespace perch::http
