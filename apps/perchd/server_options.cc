#include "perchd/server_options.h"

#include "perchd/preflight.h"

namespace perch::perchd {

server::ServerOptions server_options(const Config& config) {
  server::ServerOptions options;
  options.workers = config.workers;
  options.parking = config.parking;
  options.parking_grace = config.timeouts.parking_grace;
  options.parking_grace_max = config.timeouts.parking_grace_max;
  options.idle_timeout = config.timeouts.http2_idle;
  options.http1_idle_timeout = config.timeouts.http1_idle;
  options.handshake_timeout = config.timeouts.tls_handshake;
  options.max_handshakes = config.limits.tls_handshakes;
  options.write_stall_timeout = config.timeouts.write_stall;
  options.minimum_rate = config.limits.minimum_rate;
  options.partial_frame_timeout = config.timeouts.partial_frame;
  options.reserved_descriptors = static_cast<std::uint32_t>(reserved_descriptors(config));

  options.http2.max_concurrent_streams = config.limits.concurrent_streams;
  options.http2.header_bytes = static_cast<std::uint32_t>(config.limits.header_bytes);
  options.http2.header_fields = config.limits.header_fields;
  options.http2.continuation_frames = config.limits.continuation_frames;
  options.http2.queued_control_frames = config.limits.queued_control_frames;
  options.http2.resets_per_window = config.limits.resets_per_10s;
  options.http2.useless_frames_per_window = config.limits.useless_frames_per_10s;
  options.http2.settings_ack_timeout = config.timeouts.settings_ack;
  options.http2.header_timeout = config.timeouts.headers;

  options.http1.header_bytes = static_cast<std::uint32_t>(config.limits.header_bytes);
  options.http1.header_fields = config.limits.header_fields;
  options.http1.target_bytes = static_cast<std::uint32_t>(config.limits.http1_target_bytes);
  options.http1.chunk_extension_bytes =
      static_cast<std::uint32_t>(config.limits.http1_chunk_extension_bytes);
  if (config.limits.http1_body_bytes != 0) {
    options.http1.body_bytes = config.limits.http1_body_bytes;
  }
  options.http1.body_bytes_per_second = static_cast<std::uint32_t>(config.limits.minimum_rate);
  options.http1.header_timeout = config.timeouts.headers;
  return options;
}

}  // namespace perch::perchd
