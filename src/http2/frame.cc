// Reading frames: every check of RFC 9113 section 6 that one frame alone can fail.
#include "perch/http2/frame.h"

#include "http2/big_endian.h"
#include "perch/base/check.h"

namespace perch::http2 {
namespace {

constexpr std::uint32_t kLow31Bits = 0x7fff'ffff;
constexpr std::size_t kSettingBytes = 6;
constexpr std::size_t kPriorityBytes = 5;
constexpr std::size_t kStreamIdBytes = 4;

std::unexpected<FrameError> connection_error(ErrorCode code, std::string_view what) {
  return std::unexpected(FrameError{code, true, what});
}
std::unexpected<FrameError> stream_error(ErrorCode code, std::string_view what) {
  return std::unexpected(FrameError{code, false, what});
}

// What lies between the Pad Length octet, which is taken off `payload`, and the padding. `fixed`
// octets of other fields come first there, and stay.
FrameResult<std::optional<std::uint8_t>> strip_padding(const FrameHeader& header, std::size_t fixed,
                                                       std::span<const std::byte>& payload) {
  if (!header.has(flags::kPadded)) {
    if (payload.size() < fixed) {
      return connection_error(ErrorCode::kFrameSizeError, "frame too short for its fields");
    }
    return std::nullopt;
  }
  if (payload.empty()) {
    return connection_error(ErrorCode::kFrameSizeError, "padded frame without Pad Length");
  }
  const auto padding = std::to_integer<std::uint8_t>(payload[0]);
  payload = payload.subspan(1);
  if (padding > payload.size()) {
    return connection_error(ErrorCode::kProtocolError, "padding longer than the frame");
  }
  if (payload.size() < fixed) {
    return connection_error(ErrorCode::kFrameSizeError, "frame too short for its fields");
  }
  if (padding > payload.size() - fixed) {
    return connection_error(ErrorCode::kProtocolError, "padding longer than the frame");
  }
  payload = payload.first(payload.size() - padding);
  return padding;
}

PriorityFields read_priority(const std::byte* in) {
  const std::uint32_t word = load_be32(in);
  return {.dependency = word & kLow31Bits,
          .weight = std::to_integer<std::uint8_t>(in[4]),
          .exclusive = (word & ~kLow31Bits) != 0};
}

}  // namespace

FrameHeader read_frame_header(std::span<const std::byte> wire) {
  PERCH_DCHECK(wire.size() >= kFrameHeaderBytes);
  return {.length = load_be24(wire.data()),
          .type = FrameType{std::to_integer<std::uint8_t>(wire[3])},
          .flags = std::to_integer<std::uint8_t>(wire[4]),
          .stream_id = load_be32(wire.data() + 5) & kLow31Bits};
}

FrameResult<DataPayload> parse_data(const FrameHeader& header, std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "DATA on stream 0");
  }
  const auto padding = strip_padding(header, 0, payload);
  if (!padding) return std::unexpected(padding.error());
  return DataPayload{.data = payload, .padding = *padding};
}

FrameResult<HeadersPayload> parse_headers(const FrameHeader& header,
                                          std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "HEADERS on stream 0");
  }
  const bool has_priority = header.has(flags::kPriority);
  const auto padding = strip_padding(header, has_priority ? kPriorityBytes : 0, payload);
  if (!padding) return std::unexpected(padding.error());
  HeadersPayload headers{.fragment = payload, .padding = *padding, .priority = std::nullopt};
  if (has_priority) {
    headers.priority = read_priority(payload.data());
    headers.fragment = payload.subspan(kPriorityBytes);
  }
  return headers;
}

FrameResult<PriorityFields> parse_priority(const FrameHeader& header,
                                           std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "PRIORITY on stream 0");
  }
  if (payload.size() != kPriorityBytes) {
    return stream_error(ErrorCode::kFrameSizeError, "PRIORITY is not 5 octets long");
  }
  return read_priority(payload.data());
}

FrameResult<ErrorCode> parse_rst_stream(const FrameHeader& header,
                                        std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "RST_STREAM on stream 0");
  }
  if (payload.size() != 4) {
    return connection_error(ErrorCode::kFrameSizeError, "RST_STREAM is not 4 octets long");
  }
  return ErrorCode{load_be32(payload.data())};
}

FrameResult<std::size_t> parse_settings(const FrameHeader& header,
                                        std::span<const std::byte> payload) {
  if (header.stream_id != 0) {
    return connection_error(ErrorCode::kProtocolError, "SETTINGS on a stream");
  }
  if (header.has(flags::kAck) && !payload.empty()) {
    return connection_error(ErrorCode::kFrameSizeError, "SETTINGS acknowledgement with a payload");
  }
  if (payload.size() % kSettingBytes != 0) {
    return connection_error(ErrorCode::kFrameSizeError,
                            "SETTINGS length is not a multiple of 6 octets");
  }
  return payload.size() / kSettingBytes;
}

Setting setting_at(std::span<const std::byte> payload, std::size_t index) {
  PERCH_DCHECK((index + 1) * kSettingBytes <= payload.size());
  const std::byte* in = payload.data() + index * kSettingBytes;
  return {.id = load_be16(in), .value = load_be32(in + 2)};
}

FrameResult<void> check_setting(Setting value) {
  switch (value.id) {
    case setting::kEnablePush:
      if (value.value > 1) {
        return connection_error(ErrorCode::kProtocolError, "ENABLE_PUSH is neither 0 nor 1");
      }
      break;
    case setting::kInitialWindowSize:
      if (value.value > kLargestWindow) {
        return connection_error(ErrorCode::kFlowControlError, "INITIAL_WINDOW_SIZE above 2^31-1");
      }
      break;
    case setting::kMaxFrameSize:
      if (value.value < kDefaultMaxFrameSize || value.value > kLargestMaxFrameSize) {
        return connection_error(ErrorCode::kProtocolError, "MAX_FRAME_SIZE out of range");
      }
      break;
    case setting::kNoRfc7540Priorities:  // RFC 9218 section 2.1
      if (value.value > 1) {
        return connection_error(ErrorCode::kProtocolError,
                                "NO_RFC7540_PRIORITIES is neither 0 nor 1");
      }
      break;
    default:
      break;
  }
  return {};
}

FrameResult<PushPromisePayload> parse_push_promise(const FrameHeader& header,
                                                   std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "PUSH_PROMISE on stream 0");
  }
  const auto padding = strip_padding(header, kStreamIdBytes, payload);
  if (!padding) return std::unexpected(padding.error());
  const StreamId promised = load_be32(payload.data()) & kLow31Bits;
  if (promised == 0 || promised % 2 != 0) {
    return connection_error(ErrorCode::kProtocolError, "promised stream is not a server's");
  }
  return PushPromisePayload{.fragment = payload.subspan(kStreamIdBytes),
                            .promised_stream_id = promised,
                            .padding = *padding};
}

FrameResult<std::uint64_t> parse_ping(const FrameHeader& header,
                                      std::span<const std::byte> payload) {
  if (header.stream_id != 0) {
    return connection_error(ErrorCode::kProtocolError, "PING on a stream");
  }
  if (payload.size() != 8) {
    return connection_error(ErrorCode::kFrameSizeError, "PING is not 8 octets long");
  }
  return load_be64(payload.data());
}

FrameResult<GoawayPayload> parse_goaway(const FrameHeader& header,
                                        std::span<const std::byte> payload) {
  if (header.stream_id != 0) {
    return connection_error(ErrorCode::kProtocolError, "GOAWAY on a stream");
  }
  if (payload.size() < 8) {
    return connection_error(ErrorCode::kFrameSizeError, "GOAWAY shorter than 8 octets");
  }
  return GoawayPayload{.last_stream_id = load_be32(payload.data()) & kLow31Bits,
                       .error = ErrorCode{load_be32(payload.data() + 4)},
                       .debug_data = payload.subspan(8)};
}

FrameResult<std::uint32_t> parse_window_update(const FrameHeader& header,
                                               std::span<const std::byte> payload) {
  if (payload.size() != 4) {
    return connection_error(ErrorCode::kFrameSizeError, "WINDOW_UPDATE is not 4 octets long");
  }
  const std::uint32_t increment = load_be32(payload.data()) & kLow31Bits;
  if (increment == 0) {
    constexpr std::string_view kWhat = "WINDOW_UPDATE by 0";
    return header.stream_id == 0 ? connection_error(ErrorCode::kProtocolError, kWhat)
                                 : stream_error(ErrorCode::kProtocolError, kWhat);
  }
  return increment;
}

FrameResult<std::span<const std::byte>> parse_continuation(const FrameHeader& header,
                                                           std::span<const std::byte> payload) {
  if (header.stream_id == 0) {
    return connection_error(ErrorCode::kProtocolError, "CONTINUATION on stream 0");
  }
  return payload;
}

FrameResult<PriorityUpdatePayload> parse_priority_update(const FrameHeader& header,
                                                         std::span<const std::byte> payload) {
  if (header.stream_id != 0) {
    return connection_error(ErrorCode::kProtocolError, "PRIORITY_UPDATE on a stream");
  }
  if (payload.size() < kStreamIdBytes) {
    return connection_error(ErrorCode::kFrameSizeError, "PRIORITY_UPDATE shorter than 4 octets");
  }
  const StreamId prioritized = load_be32(payload.data()) & kLow31Bits;
  if (prioritized == 0) {
    return connection_error(ErrorCode::kProtocolError, "PRIORITY_UPDATE of stream 0");
  }
  const auto value = payload.subspan(kStreamIdBytes);
  return PriorityUpdatePayload{
      .prioritized_stream_id = prioritized,
      .field_value = {reinterpret_cast<const char*>(value.data()), value.size()}};
}

}  // namespace perch::http2
