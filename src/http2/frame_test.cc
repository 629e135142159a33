// The checks of RFC 9113 section 6 one by one, with the scope of each error.
#include "perch/http2/frame.h"

#include <gtest/gtest.h>

#include "http2/codec_test_support.h"

namespace perch::http2::testing {
namespace {

constexpr bool kConnection = true;
constexpr bool kStream = false;

FrameHeader header_of(FrameType type, std::uint8_t frame_flags, StreamId stream,
                      const Bytes& payload) {
  return {.length = static_cast<std::uint32_t>(payload.size()),
          .type = type,
          .flags = frame_flags,
          .stream_id = stream};
}

template <class Parse>
void expect_error(Parse parse, std::uint8_t frame_flags, StreamId stream, std::string_view payload,
                  ErrorCode code, bool connection) {
  const Bytes bytes = from_hex(payload);
  const auto result = parse(header_of(FrameType::kData, frame_flags, stream, bytes), bytes);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code, code) << to_string(result.error().code);
  EXPECT_EQ(result.error().connection, connection);
  EXPECT_FALSE(result.error().what.empty());
}

TEST(FrameHeader, ReadsAndWritesAllBitsButTheReservedOne) {
  const Bytes wire = from_hex("fffffe 10 ff ffffffff");
  const FrameHeader header = read_frame_header(wire);
  EXPECT_EQ(header, (FrameHeader{.length = 0xfffffe,
                                 .type = FrameType::kPriorityUpdate,
                                 .flags = 0xff,
                                 .stream_id = kLargestStreamId}));
  Bytes written(kFrameHeaderBytes);
  write_frame_header(header, written.data());
  EXPECT_EQ(to_hex(written), "fffffe10ff7fffffff");
}

TEST(FrameErrors, StreamZeroWhereAStreamBelongs) {
  constexpr auto kCode = ErrorCode::kProtocolError;
  expect_error(parse_data, 0, 0, "00", kCode, kConnection);
  expect_error(parse_headers, 0, 0, "82", kCode, kConnection);
  expect_error(parse_priority, 0, 0, "0000000001", kCode, kConnection);
  expect_error(parse_rst_stream, 0, 0, "00000008", kCode, kConnection);
  expect_error(parse_push_promise, 0, 0, "00000002", kCode, kConnection);
  expect_error(parse_continuation, 0, 0, "82", kCode, kConnection);
}

TEST(FrameErrors, StreamWhereTheConnectionBelongs) {
  constexpr auto kCode = ErrorCode::kProtocolError;
  expect_error(parse_settings, 0, 1, "", kCode, kConnection);
  expect_error(parse_ping, 0, 1, "0000000000000000", kCode, kConnection);
  expect_error(parse_goaway, 0, 1, "0000000000000000", kCode, kConnection);
  expect_error(parse_priority_update, 0, 1, "00000001", kCode, kConnection);
}

TEST(FrameErrors, WrongLengthEndsTheConnectionButForPriority) {
  constexpr auto kCode = ErrorCode::kFrameSizeError;
  for (std::string_view wrong : {"000000", "0000000000"}) {
    expect_error(parse_rst_stream, 0, 1, wrong, kCode, kConnection);
    expect_error(parse_window_update, 0, 1, wrong, kCode, kConnection);
    expect_error(parse_window_update, 0, 0, wrong, kCode, kConnection);
    expect_error(parse_settings, 0, 0, wrong, kCode, kConnection);
    expect_error(parse_ping, 0, 0, wrong, kCode, kConnection);
    expect_error(parse_goaway, 0, 0, wrong, kCode, kConnection);
  }
  expect_error(parse_settings, flags::kAck, 0, "000100001000", kCode, kConnection);
  expect_error(parse_headers, flags::kPriority, 1, "00000000", kCode, kConnection);
  expect_error(parse_headers, flags::kPriority | flags::kPadded, 1, "0000000000", kCode,
               kConnection);
  expect_error(parse_push_promise, 0, 1, "000000", kCode, kConnection);
  expect_error(parse_priority_update, 0, 0, "000000", kCode, kConnection);
  expect_error(parse_priority, 0, 1, "00000000", kCode, kStream);
  expect_error(parse_priority, 0, 1, "000000000000", kCode, kStream);
}

TEST(FrameErrors, PaddingThatDoesNotFit) {
  constexpr auto kCode = ErrorCode::kProtocolError;
  expect_error(parse_data, flags::kPadded, 1, "01", kCode, kConnection);
  expect_error(parse_data, flags::kPadded, 1, "040000 00", kCode, kConnection);
  expect_error(parse_headers, flags::kPadded, 1, "0282", kCode, kConnection);
  expect_error(parse_headers, flags::kPadded | flags::kPriority, 1, "02 0000000001 82", kCode,
               kConnection);
  expect_error(parse_push_promise, flags::kPadded, 1, "01 00000002", kCode, kConnection);
}

TEST(FrameErrors, PaddedWithoutAPadLength) {
  constexpr auto kCode = ErrorCode::kFrameSizeError;
  expect_error(parse_data, flags::kPadded, 1, "", kCode, kConnection);
  expect_error(parse_headers, flags::kPadded, 1, "", kCode, kConnection);
  expect_error(parse_push_promise, flags::kPadded, 1, "", kCode, kConnection);
}

TEST(FrameErrors, WindowIncrementOfZeroHasTheScopeOfItsWindow) {
  constexpr auto kCode = ErrorCode::kProtocolError;
  expect_error(parse_window_update, 0, 1, "00000000", kCode, kStream);
  expect_error(parse_window_update, 0, 1, "80000000", kCode, kStream);
  expect_error(parse_window_update, 0, 0, "00000000", kCode, kConnection);
}

TEST(FrameErrors, PromisedStreamThatNoServerOpens) {
  constexpr auto kCode = ErrorCode::kProtocolError;
  expect_error(parse_push_promise, 0, 1, "00000000", kCode, kConnection);
  expect_error(parse_push_promise, 0, 1, "00000003", kCode, kConnection);
  expect_error(parse_priority_update, 0, 0, "00000000 753d31", kCode, kConnection);
}

TEST(Settings, ValuesOutOfRange) {
  const auto error_of = [](std::uint16_t id, std::uint32_t value) {
    const auto result = check_setting({id, value});
    return result ? ErrorCode::kNoError : result.error().code;
  };
  EXPECT_EQ(error_of(setting::kHeaderTableSize, 0xffff'ffff), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kEnablePush, 1), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kEnablePush, 2), ErrorCode::kProtocolError);
  EXPECT_EQ(error_of(setting::kMaxConcurrentStreams, 0), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kInitialWindowSize, kLargestWindow), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kInitialWindowSize, kLargestWindow + 1),
            ErrorCode::kFlowControlError);
  EXPECT_EQ(error_of(setting::kMaxFrameSize, 16'383), ErrorCode::kProtocolError);
  EXPECT_EQ(error_of(setting::kMaxFrameSize, 16'384), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kMaxFrameSize, kLargestMaxFrameSize), ErrorCode::kNoError);
  EXPECT_EQ(error_of(setting::kMaxFrameSize, kLargestMaxFrameSize + 1), ErrorCode::kProtocolError);
  EXPECT_EQ(error_of(setting::kNoRfc7540Priorities, 2), ErrorCode::kProtocolError);
  EXPECT_EQ(error_of(0xabcd, 0xffff'ffff), ErrorCode::kNoError);
}

TEST(Data, MayBeAllPadding) {
  const Bytes payload = from_hex("020000");
  const auto frame = parse_data(header_of(FrameType::kData, flags::kPadded, 1, payload), payload);
  ASSERT_TRUE(frame.has_value());
  EXPECT_EQ(frame->data.size(), 0U);
  EXPECT_EQ(frame->padding, 2);
}

TEST(Headers, FlagsOfOptionalPartsFollowWhatIsWritten) {
  Bytes out;
  FrameWriter writer(out);
  const Bytes fragment = from_hex("82");
  writer.headers(1, fragment, flags::kEndStream | flags::kPadded | flags::kPriority);
  EXPECT_EQ(to_hex(out),
            "000001"
            "01"
            "01"
            "00000001"
            "82");
  out.clear();
  writer.headers(3, fragment, flags::kEndHeaders, 2,
                 PriorityFields{.dependency = 1, .weight = 15, .exclusive = true});
  EXPECT_EQ(to_hex(out),
            "000009"
            "01"
            "2c"
            "00000003"
            "02"
            "80000001"
            "0f"
            "82"
            "0000");
}

TEST(FrameWriter, AppendsFrameAfterFrame) {
  Bytes out;
  FrameWriter writer(out);
  writer.settings(std::vector<Setting>{{setting::kMaxConcurrentStreams, 128}});
  writer.settings_ack();
  writer.ping(0x0102030405060708, true);
  writer.data(1, bytes_of("hi"), true);
  EXPECT_EQ(to_hex(out),
            "000006040000000000"
            "000300000080"
            "000000040100000000"
            "000008060100000000"
            "0102030405060708"
            "000002000100000001"
            "6869");
}

TEST(ErrorCodes, HaveTheNamesOfTheRfc) {
  EXPECT_EQ(to_string(ErrorCode::kNoError), "NO_ERROR");
  EXPECT_EQ(to_string(ErrorCode::kEnhanceYourCalm), "ENHANCE_YOUR_CALM");
  EXPECT_EQ(to_string(ErrorCode::kHttp11Required), "HTTP_1_1_REQUIRED");
  EXPECT_EQ(to_string(ErrorCode{0xe}), "UNKNOWN");
}

}  // namespace
}  // namespace perch::http2::testing
