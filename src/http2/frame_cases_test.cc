// All frames of http2jp/http2-frame-test-case: valid ones field by field and back to the same wire,
// broken ones to one of the listed errors.
#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "http2/codec_test_vectors.h"
#include "perch/http2/frame.h"

namespace perch::http2::testing {
namespace {

using Payload = std::span<const std::byte>;

std::string text_of(Payload bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void expect_padding(const FrameCase& expected, std::optional<std::uint8_t> padding) {
  EXPECT_EQ(padding ? std::optional<std::uint32_t>(*padding) : std::nullopt,
            expected.number("padding_length"));
}

void expect_priority(const FrameCase& expected, const PriorityFields& fields) {
  EXPECT_EQ(fields.dependency, expected.number("stream_dependency"));
  EXPECT_EQ(fields.weight + 1U, expected.number("weight"));
  EXPECT_EQ(fields.exclusive, expected.number("exclusive") == 1U);
}

// Checks a valid frame against `expected` and writes it again. Other frames give their error.
FrameResult<void> check(const FrameCase& expected, const FrameHeader& header, Payload payload,
                        FrameWriter writer) {
  const auto fail = [](const auto& result) { return std::unexpected(result.error()); };
  const StreamId stream = header.stream_id;
  if (header.length > kDefaultMaxFrameSize) {  // a session's check: it is the receiver's setting
    return std::unexpected(FrameError{ErrorCode::kFrameSizeError, true, "above MAX_FRAME_SIZE"});
  }
  switch (header.type) {
    case FrameType::kData: {
      const auto frame = parse_data(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(text_of(frame->data), expected.text("data"));
      expect_padding(expected, frame->padding);
      writer.data(stream, frame->data, header.has(flags::kEndStream), frame->padding);
      return {};
    }
    case FrameType::kHeaders: {
      const auto frame = parse_headers(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(text_of(frame->fragment), expected.text("header_block_fragment"));
      expect_padding(expected, frame->padding);
      EXPECT_EQ(frame->priority.has_value(), expected.number("weight").has_value());
      if (frame->priority) expect_priority(expected, *frame->priority);
      writer.headers(stream, frame->fragment, header.flags, frame->padding, frame->priority);
      return {};
    }
    case FrameType::kPriority: {
      const auto frame = parse_priority(header, payload);
      if (!frame) return fail(frame);
      expect_priority(expected, *frame);
      writer.priority(stream, *frame);
      return {};
    }
    case FrameType::kRstStream: {
      const auto frame = parse_rst_stream(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(static_cast<std::uint32_t>(*frame), expected.number("error_code"));
      writer.rst_stream(stream, *frame);
      return {};
    }
    case FrameType::kSettings: {
      const auto frame = parse_settings(header, payload);
      if (!frame) return fail(frame);
      std::vector<Setting> settings;
      for (std::size_t i = 0; i < *frame; ++i) settings.push_back(setting_at(payload, i));
      std::vector<Setting> wanted;
      for (const auto& [id, value] : expected.settings) wanted.push_back({id, value});
      EXPECT_EQ(settings, wanted);
      writer.settings(settings);
      return {};
    }
    case FrameType::kPushPromise: {
      const auto frame = parse_push_promise(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(text_of(frame->fragment), expected.text("header_block_fragment"));
      EXPECT_EQ(frame->promised_stream_id, expected.number("promised_stream_id"));
      expect_padding(expected, frame->padding);
      writer.push_promise(stream, frame->promised_stream_id, frame->fragment, header.flags,
                          frame->padding);
      return {};
    }
    case FrameType::kPing: {
      const auto frame = parse_ping(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(text_of(payload), expected.text("opaque_data"));
      writer.ping(*frame, header.has(flags::kAck));
      return {};
    }
    case FrameType::kGoaway: {
      const auto frame = parse_goaway(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(frame->last_stream_id, expected.number("last_stream_id"));
      EXPECT_EQ(static_cast<std::uint32_t>(frame->error), expected.number("error_code"));
      EXPECT_EQ(text_of(frame->debug_data), expected.text("additional_debug_data"));
      writer.goaway(frame->last_stream_id, frame->error, frame->debug_data);
      return {};
    }
    case FrameType::kWindowUpdate: {
      const auto frame = parse_window_update(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(*frame, expected.number("window_size_increment"));
      writer.window_update(stream, *frame);
      return {};
    }
    case FrameType::kContinuation: {
      const auto frame = parse_continuation(header, payload);
      if (!frame) return fail(frame);
      EXPECT_EQ(text_of(*frame), expected.text("header_block_fragment"));
      writer.continuation(stream, *frame, header.has(flags::kEndHeaders));
      return {};
    }
    case FrameType::kPriorityUpdate:
      break;
  }
  ADD_FAILURE() << "no such frame type among the cases";
  return {};
}

// The cases put text where senders must put zeros (RFC 9113 section 6.1).
Bytes with_zero_padding(const FrameCase& frame) {
  Bytes wire = frame.wire;
  std::fill_n(wire.rbegin(), frame.number("padding_length").value_or(0), std::byte{0});
  return wire;
}

TEST(FrameCases, AllDecodeAsListedAndEncodeBack) {
  const std::vector<FrameCase> cases = load_frame_cases();
  if (cases.empty()) GTEST_SKIP() << kNoVectors;
  EXPECT_EQ(cases.size(), 34U);
  for (const FrameCase& frame : cases) {
    SCOPED_TRACE(frame.name);
    const FrameHeader header = read_frame_header(frame.wire);
    Bytes written;
    const auto result = check(frame, header, std::span(frame.wire).subspan(kFrameHeaderBytes),
                              FrameWriter(written));
    if (!frame.errors.empty()) {
      ASSERT_FALSE(result.has_value());
      const auto code = static_cast<std::uint32_t>(result.error().code);
      EXPECT_NE(std::find(frame.errors.begin(), frame.errors.end(), code), frame.errors.end())
          << to_string(result.error().code);
      continue;
    }
    ASSERT_TRUE(result.has_value()) << result.error().what;
    EXPECT_EQ(header.length, frame.length);
    EXPECT_EQ(static_cast<std::uint8_t>(header.type), frame.type);
    EXPECT_EQ(header.flags, frame.flags);
    EXPECT_EQ(header.stream_id, frame.stream_id);
    EXPECT_EQ(to_hex(written), to_hex(with_zero_padding(frame)));
  }
}

}  // namespace
}  // namespace perch::http2::testing
