// Request lines and targets (RFC 9112 section 3), beyond what the parser checks.
#pragma once

#include <cstddef>
#include <string_view>

#include "http1/refusal.h"
#include "perch/http/request.h"

namespace perch::http1 {

// Longer ones are no method that anybody here implements.
inline constexpr std::size_t kMethodBytes = 32;

// A request line without its CRLF, before anything else is known of the request.
Refusal check_request_line(std::string_view line, std::size_t target_bytes);

// Sets scheme, target and, from an absolute-form target, authority of `head`, whose method is set.
// `scheme` is the connection's.
Refusal read_target(std::string_view target, std::string_view scheme, http::RequestHead& head);

// host [":" port] of RFC 3986, without user information and without ",", which could be the trace
// of two fields that somebody has joined.
bool valid_authority(std::string_view authority);

}  // namespace perch::http1
