// What a session announces and what it tolerates. Defaults are the documented limits of the server
// (docs/architecture.md lists them with their reasons).
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "perch/base/clock.h"

namespace perch::http2 {

// Shared by all sessions of a listener; outlives them.
struct SessionOptions {
  // Announced in SETTINGS.
  std::uint32_t max_concurrent_streams = 128;
  std::uint32_t initial_window_bytes = 65'535;  // per stream
  std::uint32_t header_bytes = 65'536;          // per header list, 32 bytes a field on top

  // The connection's receive window: bounds what unread request bodies may hold in memory.
  std::uint32_t connection_window_bytes = 1'048'576;

  // Enforced.
  std::uint32_t header_fields = 256;  // cookie crumbs are counted apart
  std::uint32_t cookie_crumbs = 256;
  std::uint32_t continuation_frames = 8;  // per header block
  std::uint32_t queued_control_frames = 1'000;
  // Both sides' together. The peer's are free once a response has begun, or the stream is older
  // than `slow_reset_age`: those that go back on a request at once are the attack.
  std::uint32_t resets_per_window = 100;
  Duration slow_reset_age = std::chrono::seconds(1);
  std::uint32_t useless_frames_per_window = 100;
  Duration rate_window = std::chrono::seconds(10);
  Duration settings_ack_timeout = std::chrono::seconds(10);
  Duration header_timeout = std::chrono::seconds(10);  // preface, and an open header block

  // Of all requests together that have no response yet; those beyond are refused.
  std::uint32_t open_header_bytes = 1'048'576;

  // A client may leave a response waiting at a closed window for periods of this length, as long as
  // it lets `minimum_rate` bytes a second through in each: else the stream is reset, or, where the
  // connection's window is what is closed, the connection ends.
  Duration stall_timeout = std::chrono::seconds(30);
  std::uint32_t minimum_rate = 1'024;  // 0: any progress will do

  // How long a client may go on with a request whose response is complete, before it is told to
  // stop.
  Duration unwanted_request_timeout = std::chrono::seconds(5);

  // The Server field of every response; empty for none. Static text.
  std::string_view server_name = "perch";
};

}  // namespace perch::http2
