// What an HTTP/1.1 session tolerates. Defaults are the documented limits of the server
// (docs/architecture.md lists them with their reasons).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "perch/base/clock.h"

namespace perch::http1 {

// Shared by all sessions of a listener; outlives them.
struct SessionOptions {
  std::uint32_t header_bytes = 65'536;  // of fields, or of trailers; 32 bytes a field on top: 431
  std::uint32_t header_fields = 256;    // 431
  std::uint32_t target_bytes = 16'384;  // 414
  std::uint32_t chunk_extension_bytes = 4'096;  // of one body, together: 400
  std::uint64_t body_bytes = UINT64_MAX;        // of one request's body: 413

  // What an owner may hold of a request's body; then nothing more is taken until it gives some
  // back.
  std::uint32_t body_window_bytes = 65'536;
  // What is read and dropped of a body whose response is complete, so that the connection lives on.
  std::uint32_t discard_bytes = 262'144;

  Duration header_timeout = std::chrono::seconds(10);  // a head, from its first byte; trailers
  // Over each period of this length a body must come at this rate, while there is room for it.
  Duration body_period = std::chrono::seconds(30);
  std::uint32_t body_bytes_per_second = 1'024;

  // "https" where the connection is secured.
  std::string_view scheme = "http";
  // The Server field of every response; empty for none. Static text.
  std::string_view server_name = "perch";
};

}  // namespace perch::http1
