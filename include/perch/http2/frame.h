// HTTP/2 frames on the wire (RFC 9113 sections 4 and 6): headers, payload layouts, and the checks
// that need nothing but the frame itself. What depends on a stream's or connection's state is the
// session's business.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "perch/http2/error_code.h"

namespace perch::http2 {

using StreamId = std::uint32_t;  // 31 bits

inline constexpr std::size_t kFrameHeaderBytes = 9;
inline constexpr std::uint32_t kDefaultMaxFrameSize = 16'384;
inline constexpr std::uint32_t kLargestMaxFrameSize = (1U << 24) - 1;
inline constexpr std::uint32_t kDefaultWindow = 65'535;
inline constexpr std::uint32_t kLargestWindow = (1U << 31) - 1;
inline constexpr StreamId kLargestStreamId = (1U << 31) - 1;
inline constexpr std::string_view kClientPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

enum class FrameType : std::uint8_t {
  kData = 0x0,
  kHeaders = 0x1,
  kPriority = 0x2,
  kRstStream = 0x3,
  kSettings = 0x4,
  kPushPromise = 0x5,
  kPing = 0x6,
  kGoaway = 0x7,
  kWindowUpdate = 0x8,
  kContinuation = 0x9,
  kPriorityUpdate = 0x10,  // RFC 9218 section 7.1
};

namespace flags {
inline constexpr std::uint8_t kEndStream = 0x1;
inline constexpr std::uint8_t kAck = 0x1;
inline constexpr std::uint8_t kEndHeaders = 0x4;
inline constexpr std::uint8_t kPadded = 0x8;
inline constexpr std::uint8_t kPriority = 0x20;
}  // namespace flags

struct FrameHeader {
  std::uint32_t length = 0;  // of the payload; 24 bits
  FrameType type = FrameType::kData;
  std::uint8_t flags = 0;
  StreamId stream_id = 0;  // the reserved bit is dropped

  bool has(std::uint8_t flag) const { return (flags & flag) != 0; }
  friend bool operator==(const FrameHeader&, const FrameHeader&) = default;
};

// REQUIRES: wire.size() >= kFrameHeaderBytes.
FrameHeader read_frame_header(std::span<const std::byte> wire);
// Writes kFrameHeaderBytes to `out`.
void write_frame_header(const FrameHeader& header, std::byte* out);

// A frame that is wrong in itself, and how far the error reaches.
struct FrameError {
  ErrorCode code;
  bool connection;        // else only the stream
  std::string_view what;  // static text, for logs and GOAWAY debug data

  friend bool operator==(const FrameError&, const FrameError&) = default;
};
template <class T>
using FrameResult = std::expected<T, FrameError>;

struct PriorityFields {  // deprecated (RFC 9113 section 5.3.2): parsed, then ignored
  StreamId dependency = 0;
  std::uint8_t weight = 0;  // as on the wire: 0 to 255
  bool exclusive = false;
};

struct DataPayload {
  std::span<const std::byte> data;
  std::optional<std::uint8_t> padding;  // bytes of padding after the data, where PADDED is set
};
struct HeadersPayload {
  std::span<const std::byte> fragment;
  std::optional<std::uint8_t> padding;
  std::optional<PriorityFields> priority;
};
struct PushPromisePayload {
  std::span<const std::byte> fragment;
  StreamId promised_stream_id = 0;
  std::optional<std::uint8_t> padding;
};
struct GoawayPayload {
  StreamId last_stream_id = 0;
  ErrorCode error = ErrorCode::kNoError;
  std::span<const std::byte> debug_data;
};
struct Setting {
  std::uint16_t id;
  std::uint32_t value;
  friend bool operator==(const Setting&, const Setting&) = default;
};
struct PriorityUpdatePayload {
  StreamId prioritized_stream_id = 0;
  std::string_view field_value;
};

namespace setting {
inline constexpr std::uint16_t kHeaderTableSize = 0x1;
inline constexpr std::uint16_t kEnablePush = 0x2;
inline constexpr std::uint16_t kMaxConcurrentStreams = 0x3;
inline constexpr std::uint16_t kInitialWindowSize = 0x4;
inline constexpr std::uint16_t kMaxFrameSize = 0x5;
inline constexpr std::uint16_t kMaxHeaderListSize = 0x6;
inline constexpr std::uint16_t kNoRfc7540Priorities = 0x9;  // RFC 9218 section 2.1
}  // namespace setting

// Each checks the stream identifier (zero or not), the length and the padding. The spans point into
// `payload`. REQUIRES: payload.size() == header.length.
FrameResult<DataPayload> parse_data(const FrameHeader& header, std::span<const std::byte> payload);
FrameResult<HeadersPayload> parse_headers(const FrameHeader& header,
                                          std::span<const std::byte> payload);
FrameResult<PriorityFields> parse_priority(const FrameHeader& header,
                                           std::span<const std::byte> payload);
FrameResult<ErrorCode> parse_rst_stream(const FrameHeader& header,
                                        std::span<const std::byte> payload);
// The settings one by one through `setting_at`; checks the frame's shape only.
FrameResult<std::size_t> parse_settings(const FrameHeader& header,
                                        std::span<const std::byte> payload);
Setting setting_at(std::span<const std::byte> payload, std::size_t index);
// Values outside of their range (RFC 9113 section 6.5.2).
FrameResult<void> check_setting(Setting value);
FrameResult<PushPromisePayload> parse_push_promise(const FrameHeader& header,
                                                   std::span<const std::byte> payload);
// The 8 opaque bytes.
FrameResult<std::uint64_t> parse_ping(const FrameHeader& header,
                                      std::span<const std::byte> payload);
FrameResult<GoawayPayload> parse_goaway(const FrameHeader& header,
                                        std::span<const std::byte> payload);
// The increment, which is not 0; a zero increment is a stream error on a stream.
FrameResult<std::uint32_t> parse_window_update(const FrameHeader& header,
                                               std::span<const std::byte> payload);
FrameResult<std::span<const std::byte>> parse_continuation(const FrameHeader& header,
                                                           std::span<const std::byte> payload);
FrameResult<PriorityUpdatePayload> parse_priority_update(const FrameHeader& header,
                                                         std::span<const std::byte> payload);

// Whole frames appended to `out`. Padding, where given, is written as a length and zero bytes.
class FrameWriter {
 public:
  explicit FrameWriter(std::vector<std::byte>& out) : out_(out) {}

  void data(StreamId stream, std::span<const std::byte> data, bool end_stream,
            std::optional<std::uint8_t> padding = std::nullopt);
  // Frame flags other than PADDED and PRIORITY come from `frame_flags`.
  void headers(StreamId stream, std::span<const std::byte> fragment, std::uint8_t frame_flags,
               std::optional<std::uint8_t> padding = std::nullopt,
               std::optional<PriorityFields> priority = std::nullopt);
  void priority(StreamId stream, PriorityFields fields);
  void rst_stream(StreamId stream, ErrorCode error);
  void settings(std::span<const Setting> settings);
  void settings_ack();
  void push_promise(StreamId stream, StreamId promised, std::span<const std::byte> fragment,
                    std::uint8_t frame_flags, std::optional<std::uint8_t> padding = std::nullopt);
  void ping(std::uint64_t opaque, bool ack);
  void goaway(StreamId last_stream, ErrorCode error, std::span<const std::byte> debug_data = {});
  void window_update(StreamId stream, std::uint32_t increment);
  void continuation(StreamId stream, std::span<const std::byte> fragment, bool end_headers);

 private:
  std::byte* frame(FrameType type, std::uint8_t frame_flags, StreamId stream, std::size_t length);
  std::vector<std::byte>& out_;
};

}  // namespace perch::http2
