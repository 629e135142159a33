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

// What a request has of the fields that this header and range.h are about. Most have none, and one
// look at the fields tells: neither a clock nor an evaluation is needed then.
struct ConditionalFields {
  bool preconditions = false;  // some "if-..." field
  bool range = false;
};
ConditionalFields conditional_fields(const Fields& request);

// In the order of RFC 9110 section 13.2.2, for a resource that exists. Malformed dates are ignored.
Precondition evaluate(Method method, const Fields& request, const Validators& validators,
                      std::int64_t now_unix_seconds);

// Whether the ranges that a request asks for may be answered by a part of the representation
// (sections 13.1.5 and 13.2.2, step 5): there is no If-Range, or it names the validator of now,
// which must be a strong one: an entity tag without W/, or a Last-Modified that is at least a
// second old. Several If-Range lines and malformed ones are false.
bool range_applies(const Fields& request, const Validators& validators,
                   std::int64_t now_unix_seconds);

}  // namespace perch::http
