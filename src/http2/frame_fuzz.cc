// Any frame: parsing reads inside its payload only, and what was written parses to the same again.
//
// Input: a frame header, then the payload, whatever length the header claims.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "perch/http2/frame.h"

namespace {

using namespace perch::http2;
using Payload = std::span<const std::byte>;

// Parses by type and writes again. False: an error, or a type that has no writer.
bool rewrite(const FrameHeader& header, Payload payload, FrameWriter writer) {
  const StreamId stream = header.stream_id;
  switch (header.type) {
    case FrameType::kData:
      if (const auto frame = parse_data(header, payload)) {
        writer.data(stream, frame->data, header.has(flags::kEndStream), frame->padding);
        return true;
      }
      return false;
    case FrameType::kHeaders:
      if (const auto frame = parse_headers(header, payload)) {
        writer.headers(stream, frame->fragment, header.flags, frame->padding, frame->priority);
        return true;
      }
      return false;
    case FrameType::kPriority:
      if (const auto frame = parse_priority(header, payload)) {
        writer.priority(stream, *frame);
        return true;
      }
      return false;
    case FrameType::kRstStream:
      if (const auto frame = parse_rst_stream(header, payload)) {
        writer.rst_stream(stream, *frame);
        return true;
      }
      return false;
    case FrameType::kSettings:
      if (const auto count = parse_settings(header, payload)) {
        std::vector<Setting> settings;
        for (std::size_t i = 0; i < *count; ++i) settings.push_back(setting_at(payload, i));
        for (const Setting& setting : settings) static_cast<void>(check_setting(setting));
        header.has(flags::kAck) ? writer.settings_ack() : writer.settings(settings);
        return true;
      }
      return false;
    case FrameType::kPushPromise:
      if (const auto frame = parse_push_promise(header, payload)) {
        writer.push_promise(stream, frame->promised_stream_id, frame->fragment, header.flags,
                            frame->padding);
        return true;
      }
      return false;
    case FrameType::kPing:
      if (const auto opaque = parse_ping(header, payload)) {
        writer.ping(*opaque, header.has(flags::kAck));
        return true;
      }
      return false;
    case FrameType::kGoaway:
      if (const auto frame = parse_goaway(header, payload)) {
        writer.goaway(frame->last_stream_id, frame->error, frame->debug_data);
        return true;
      }
      return false;
    case FrameType::kWindowUpdate:
      if (const auto increment = parse_window_update(header, payload)) {
        writer.window_update(stream, *increment);
        return true;
      }
      return false;
    case FrameType::kContinuation:
      if (const auto fragment = parse_continuation(header, payload)) {
        writer.continuation(stream, *fragment, header.has(flags::kEndHeaders));
        return true;
      }
      return false;
    case FrameType::kPriorityUpdate:
      if (const auto frame = parse_priority_update(header, payload)) {
        if (frame->prioritized_stream_id == 0) std::abort();
      }
      return false;
  }
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kFrameHeaderBytes) return 0;
  const auto wire = std::as_bytes(std::span(data, size));
  // A copy of its own, so that a sanitizer sees a read beyond the end.
  const std::vector<std::byte> payload(wire.begin() + kFrameHeaderBytes, wire.end());
  FrameHeader header = read_frame_header(wire);
  header.length = static_cast<std::uint32_t>(payload.size());

  std::vector<std::byte> once;
  if (!rewrite(header, payload, FrameWriter(once))) {
    if (!once.empty()) std::abort();
    return 0;
  }
  const FrameHeader written = read_frame_header(once);
  if (written.length + kFrameHeaderBytes != once.size()) std::abort();
  if (written.type != header.type || written.stream_id > kLargestStreamId) std::abort();
  std::vector<std::byte> twice;
  if (!rewrite(written, Payload(once).subspan(kFrameHeaderBytes), FrameWriter(twice))) std::abort();
  if (once != twice) std::abort();
  return 0;
}
