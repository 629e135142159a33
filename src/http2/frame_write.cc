// Writing frames. What a caller passes is taken as valid for its place in the protocol.
#include <cstring>

#include "http2/big_endian.h"
#include "perch/base/check.h"
#include "perch/http2/frame.h"

namespace perch::http2 {
namespace {

std::byte* store_bytes(std::span<const std::byte> bytes, std::byte* out) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

std::byte* store_priority(PriorityFields fields, std::byte* out) {
  out = store_be32(fields.dependency | (fields.exclusive ? 1U << 31 : 0), out);
  *out = std::byte{fields.weight};
  return out + 1;
}

std::size_t padding_bytes(std::optional<std::uint8_t> padding) {
  return padding ? std::size_t{1} + *padding : 0;
}

// The padding itself follows the fields, and is zero already.
std::byte* store_pad_length(std::optional<std::uint8_t> padding, std::byte* out) {
  if (!padding) return out;
  *out = std::byte{*padding};
  return out + 1;
}

std::uint8_t with_padded(std::uint8_t frame_flags, std::optional<std::uint8_t> padding) {
  return static_cast<std::uint8_t>((frame_flags & ~flags::kPadded) |
                                   (padding ? flags::kPadded : 0));
}

}  // namespace

void write_frame_header(const FrameHeader& header, std::byte* out) {
  out = store_be24(header.length, out);
  *out++ = static_cast<std::byte>(header.type);
  *out++ = static_cast<std::byte>(header.flags);
  store_be32(header.stream_id, out);
}

// Returns the place of the payload, `length` zero bytes.
std::byte* FrameWriter::frame(FrameType type, std::uint8_t frame_flags, StreamId stream,
                              std::size_t length) {
  PERCH_CHECK(length <= kLargestMaxFrameSize);
  const std::size_t begin = out_.size();
  out_.resize(begin + kFrameHeaderBytes + length);
  std::byte* out = out_.data() + begin;
  write_frame_header({.length = static_cast<std::uint32_t>(length),
                      .type = type,
                      .flags = frame_flags,
                      .stream_id = stream},
                     out);
  return out + kFrameHeaderBytes;
}

void FrameWriter::data(StreamId stream, std::span<const std::byte> data, bool end_stream,
                       std::optional<std::uint8_t> padding) {
  const std::uint8_t frame_flags = with_padded(end_stream ? flags::kEndStream : 0, padding);
  std::byte* out =
      frame(FrameType::kData, frame_flags, stream, data.size() + padding_bytes(padding));
  store_bytes(data, store_pad_length(padding, out));
}

void FrameWriter::headers(StreamId stream, std::span<const std::byte> fragment,
                          std::uint8_t frame_flags, std::optional<std::uint8_t> padding,
                          std::optional<PriorityFields> priority) {
  frame_flags = with_padded(frame_flags, padding);
  frame_flags = static_cast<std::uint8_t>((frame_flags & ~flags::kPriority) |
                                          (priority ? flags::kPriority : 0));
  std::byte* out = frame(FrameType::kHeaders, frame_flags, stream,
                         fragment.size() + padding_bytes(padding) + (priority ? 5 : 0));
  out = store_pad_length(padding, out);
  if (priority) out = store_priority(*priority, out);
  store_bytes(fragment, out);
}

void FrameWriter::priority(StreamId stream, PriorityFields fields) {
  store_priority(fields, frame(FrameType::kPriority, 0, stream, 5));
}

void FrameWriter::rst_stream(StreamId stream, ErrorCode error) {
  store_be32(static_cast<std::uint32_t>(error), frame(FrameType::kRstStream, 0, stream, 4));
}

void FrameWriter::settings(std::span<const Setting> settings) {
  std::byte* out = frame(FrameType::kSettings, 0, 0, 6 * settings.size());
  for (const Setting& setting : settings) {
    out = store_be32(setting.value, store_be16(setting.id, out));
  }
}

void FrameWriter::settings_ack() { frame(FrameType::kSettings, flags::kAck, 0, 0); }

void FrameWriter::push_promise(StreamId stream, StreamId promised,
                               std::span<const std::byte> fragment, std::uint8_t frame_flags,
                               std::optional<std::uint8_t> padding) {
  std::byte* out = frame(FrameType::kPushPromise, with_padded(frame_flags, padding), stream,
                         fragment.size() + 4 + padding_bytes(padding));
  out = store_be32(promised, store_pad_length(padding, out));
  store_bytes(fragment, out);
}

void FrameWriter::ping(std::uint64_t opaque, bool ack) {
  store_be64(opaque, frame(FrameType::kPing, ack ? flags::kAck : 0, 0, 8));
}

void FrameWriter::goaway(StreamId last_stream, ErrorCode error,
                         std::span<const std::byte> debug_data) {
  std::byte* out = frame(FrameType::kGoaway, 0, 0, 8 + debug_data.size());
  out = store_be32(static_cast<std::uint32_t>(error), store_be32(last_stream, out));
  store_bytes(debug_data, out);
}

void FrameWriter::window_update(StreamId stream, std::uint32_t increment) {
  store_be32(increment, frame(FrameType::kWindowUpdate, 0, stream, 4));
}

void FrameWriter::continuation(StreamId stream, std::span<const std::byte> fragment,
                               bool end_headers) {
  store_bytes(fragment, frame(FrameType::kContinuation, end_headers ? flags::kEndHeaders : 0,
                              stream, fragment.size()));
}

}  // namespace perch::http2
