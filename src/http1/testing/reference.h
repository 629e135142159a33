// A second opinion: what requests a whole input holds, worked out by the letter of RFC 9112 and in
// the simplest way, for comparison with sessions.
#pragma once

#include <string>
#include <string_view>

namespace perch::http1::testing {

// As Wire::summary, for an owner that echoes all, with "refused" in place of the status of a
// refusal. Knows no limits: for inputs of a few kilobytes.
std::string reference_summary(std::string_view input);

// A session's summary with its refusal so replaced.
std::string without_status(std::string summary);

}  // namespace perch::http1::testing
