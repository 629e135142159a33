// What an access log is told about one request.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/http/server_session.h"

namespace perch::server {

// All texts live until the call returns. What the client chose (target, authority, referer,
// user_agent) may hold any bytes that HTTP lets through, quotes and control characters among them:
// whoever writes them escapes them.
struct AccessRecord {
  std::string_view remote;  // the client's address without its port: "192.0.2.1", "2001:db8::1"
  std::string_view method;
  std::string_view target;  // path and query, or "*"
  std::string_view authority;
  std::string_view version;  // "HTTP/2.0" or "HTTP/1.1"
  int status = 0;            // 0: the request ended before there was a response
  // Of the response's body, handed to the connection; not all of it may have reached the client
  // unless `end` is kComplete.
  std::uint64_t body_bytes = 0;
  Duration duration{};  // from the whole head of the request to the end of its stream
  std::string_view referer;
  std::string_view user_agent;
  std::string_view tls_version;  // "TLSv1.3"; "" in clear
  std::string_view tls_cipher;   // "TLS_AES_128_GCM_SHA256"; "" in clear
  http::StreamEnd end = http::StreamEnd::kComplete;
};

// Called once for each request that reached a handler, when its stream ends, on the connection's
// worker: it must not block, nor call the server. What a protocol engine refuses by itself (a
// malformed head, one beyond a limit) is no request, and not told.
using AccessLog = std::function<void(const AccessRecord&)>;

}  // namespace perch::server
