// Chapters 6 and 7: each frame type, settings, error codes. WINDOW_UPDATE is in
// rfc9113_windows_test.cc.
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::post;
using testing::Rule;
using testing::Wire;

void send_settings(Wire& w, std::uint16_t id, std::uint32_t value) {
  const Setting one[] = {{id, value}};
  w.client.frames().settings(one);
}

const Rule kFrameRules[] = {
    // --- DATA
    {"6.1", "DATA frames in any number carry the body",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "one");
       w.client.data(1, "two");
       w.client.data(1, "", true);
     },
     "HEADERS 1 200; DATA 1 6 END_STREAM"},
    {"6.1", "Padding is no part of the body",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.frames().data(1, as_bytes("test"), true, 6);
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"6.1", "Padding of length zero is padding",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.frames().data(1, as_bytes("test"), true, 0);
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"6.1", "A frame may be nothing but padding",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.frames().data(1, {}, true, 255);
     },
     "HEADERS 1 200 END_STREAM"},
    {"6.1", "DATA on stream 0 is a connection error",
     [](Wire& w) { w.client.data(0, "test", true); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.1", "DATA on a stream that is not open is a stream error",
     [](Wire& w) {
       w.client.request(1, post("/hold"));
       w.client.data(1, "test", true);
     },
     "RST_STREAM 1 STREAM_CLOSED"},
    {"6.1", "Padding as long as the payload is a connection error",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "4"}}), false);
       w.client.raw("000005 00 09 00000001 06 54657374");
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    {"6.1", "Padding may fill the payload but for the Pad Length",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.raw("000005 00 09 00000001 04 00000000");
     },
     "HEADERS 1 200 END_STREAM"},
    {"6.1", "A padded frame without a Pad Length is a connection error",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.raw("000000 00 09 00000001");
     },
     "GOAWAY 1 FRAME_SIZE_ERROR"},
    // --- HEADERS
    {"6.2", "HEADERS may be padded",
     [](Wire& w) { w.client.frames().headers(1, w.client.block(get()), 0x5, 200); },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.2", "HEADERS may carry a priority",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0x5, std::nullopt,
                                 PriorityFields{.dependency = 0, .weight = 255});
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.2", "HEADERS may have both",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0x5, 7,
                                 PriorityFields{.dependency = 3, .exclusive = true});
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.2", "HEADERS on stream 0 is a connection error", [](Wire& w) { w.client.request(0); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.2", "Padding beyond the payload is a connection error",
     [](Wire& w) { w.client.raw("000002 01 0d 00000001 02 82"); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.2", "HEADERS too short for the priority fields is a connection error",
     [](Wire& w) { w.client.raw("000004 01 24 00000001 00000000"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.2", "A PRIORITY frame after HEADERS without END_HEADERS is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0);
       w.client.frames().priority(1, {.weight = 255});
       w.client.frames().continuation(1, w.client.block({{"x-dummy", "v"}}), true);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.2", "Another stream's HEADERS after HEADERS without END_HEADERS is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0);
       w.client.request(3);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    // --- PRIORITY
    {"6.3", "Any weight is accepted",
     [](Wire& w) {
       w.client.frames().priority(1, {.weight = 0});
       w.client.frames().priority(1, {.weight = 255});
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.3", "Dependencies, exclusive or not, are accepted",
     [](Wire& w) {
       w.client.frames().priority(3, {.dependency = 1});
       w.client.frames().priority(1, {.dependency = 0, .exclusive = true});
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.3", "PRIORITY of a higher idle stream closes no lower one",
     [](Wire& w) {
       w.client.frames().priority(3, {.weight = 255});
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.3", "PRIORITY on stream 0 is a connection error",
     [](Wire& w) { w.client.frames().priority(0, {.weight = 255}); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.3", "PRIORITY that is not 5 octets long is a stream error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.raw("000004 02 00 00000001 80000001");
     },
     "RST_STREAM 1 FRAME_SIZE_ERROR"},
    {"6.3", "The same on a closed stream is answered too",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.raw("000004 02 00 00000001 80000001");
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 FRAME_SIZE_ERROR"},
    // --- RST_STREAM
    {"6.4", "RST_STREAM ends a request",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
       w.client.ping();
     },
     "PING ACK 2a"},
    {"6.4", "RST_STREAM on stream 0 is a connection error", [](Wire& w) { w.client.reset(0); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.4", "RST_STREAM on an idle stream is a connection error",
     [](Wire& w) { w.client.reset(1); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.4", "RST_STREAM that is not 4 octets long is a connection error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.raw("000003 03 00 00000001 000000");
     },
     "GOAWAY 1 FRAME_SIZE_ERROR"},
    // --- SETTINGS
    {"6.5", "SETTINGS are acknowledged, one by one",
     [](Wire& w) {
       w.client.settings();
       w.client.settings({{setting::kEnablePush, 0}});
     },
     "SETTINGS ACK; SETTINGS ACK"},
    {"6.5", "An acknowledgement is not answered",
     [](Wire& w) {
       w.client.settings_ack();
       w.client.ping();
     },
     "PING ACK 2a"},
    {"6.5", "An acknowledgement with a payload is a connection error",
     [](Wire& w) { w.client.raw("000001 04 01 00000000 00"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.5", "SETTINGS on a stream is a connection error",
     [](Wire& w) { w.client.raw("000006 04 00 00000001 000300000064"); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.5", "SETTINGS whose length is no multiple of 6 is a connection error",
     [](Wire& w) { w.client.raw("000003 04 00 00000000 000300"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.5.2", "ENABLE_PUSH other than 0 or 1 is a connection error",
     [](Wire& w) { send_settings(w, setting::kEnablePush, 2); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.5.2", "INITIAL_WINDOW_SIZE above 2^31-1 is a FLOW_CONTROL_ERROR",
     [](Wire& w) { send_settings(w, setting::kInitialWindowSize, 1U << 31); },
     "GOAWAY 0 FLOW_CONTROL_ERROR"},
    {"6.5.2", "MAX_FRAME_SIZE below 2^14 is a connection error",
     [](Wire& w) { send_settings(w, setting::kMaxFrameSize, 16'383); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.5.2", "MAX_FRAME_SIZE above 2^24-1 is a connection error",
     [](Wire& w) { send_settings(w, setting::kMaxFrameSize, 1U << 24); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.5.2", "The ends of the ranges are accepted",
     [](Wire& w) {
       w.client.settings({{setting::kEnablePush, 1},
                          {setting::kMaxFrameSize, (1U << 24) - 1},
                          {setting::kMaxFrameSize, 16'384},
                          {setting::kInitialWindowSize, (1U << 31) - 1},
                          {setting::kHeaderTableSize, UINT32_MAX},
                          {setting::kMaxConcurrentStreams, 0},
                          {setting::kMaxHeaderListSize, 0}});
     },
     "SETTINGS ACK"},
    {"6.5.2", "A setting that is not known is ignored",
     [](Wire& w) {
       send_settings(w, 0xff, 1);
       w.client.ping();
     },
     "SETTINGS ACK; PING ACK 2a"},
    {"6.5.2", "HEADER_TABLE_SIZE 0 is obeyed from the next field block on",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.settings({{setting::kHeaderTableSize, 0}});
       w.client.request(3);
       w.client.request(5);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; SETTINGS ACK; HEADERS 3 200; DATA 3 13 END_STREAM; "
     "HEADERS 5 200; DATA 5 13 END_STREAM"},
    {"6.5.3", "Values are processed in their order",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 100}, {setting::kInitialWindowSize, 1}});
       w.exchange();
       w.client.request(1);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 1"},
    // --- PUSH_PROMISE, PING, GOAWAY
    {"6.6", "PUSH_PROMISE from a client is a connection error",
     [](Wire& w) { w.client.frames().push_promise(1, 2, w.client.block(get()), 0x4); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.7", "PING is answered with its payload", [](Wire& w) { w.client.ping(0x6832737065630000); },
     "PING ACK 6832737065630000"},
    {"6.7", "A PING answer is not answered",
     [](Wire& w) {
       w.client.frames().ping(0x696e76616c6964, true);
       w.client.ping(5);
     },
     "PING ACK 5"},
    {"6.7", "PING on a stream is a connection error",
     [](Wire& w) { w.client.raw("000008 06 00 00000001 0000000000000000"); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.7", "PING that is not 8 octets long is a connection error",
     [](Wire& w) { w.client.raw("000006 06 00 00000000 000000000000"); },
     "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.8", "GOAWAY on a stream is a connection error",
     [](Wire& w) { w.client.raw("000008 07 00 00000001 0000000000000000"); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.8", "GOAWAY too short is a connection error",
     [](Wire& w) { w.client.raw("000007 07 00 00000000 00000000000000"); },
     "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.8", "A client that says GOAWAY still gets its answers",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.frames().goaway(0, ErrorCode::kNoError, as_bytes("leaving"));
       w.client.data(1, "x", true);
     },
     "HEADERS 1 200; DATA 1 1 END_STREAM"},
    // --- CONTINUATION
    {"6.10", "CONTINUATION frames go on with a field block",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), flags::kEndStream);
       w.client.frames().continuation(1, w.client.block({{"x-dummy0", "v"}}), false);
       w.client.frames().continuation(1, w.client.block({{"x-dummy1", "v"}}), true);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.10", "CONTINUATION frames may be empty",
     [](Wire& w) {
       w.client.frames().headers(1, {}, flags::kEndStream);
       w.client.frames().continuation(1, w.client.block(get()), false);
       w.client.frames().continuation(1, {}, true);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.10", "Another frame between them is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), flags::kEndStream);
       w.client.frames().continuation(1, w.client.block({{"x-dummy", "v"}}), false);
       w.client.data(1, "test", true);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.10", "CONTINUATION on stream 0 is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), flags::kEndStream);
       w.client.frames().continuation(0, {}, true);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.10", "CONTINUATION of another stream is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), flags::kEndStream);
       w.client.frames().continuation(3, {}, true);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.10", "CONTINUATION after HEADERS with END_HEADERS is a connection error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.frames().continuation(1, {}, true);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    {"6.10", "CONTINUATION after CONTINUATION with END_HEADERS is a connection error",
     [](Wire& w) {
       w.client.request_in_parts(1, get("/hold"), 4);
       w.client.frames().continuation(1, {}, true);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    {"6.10", "CONTINUATION after DATA is a connection error",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "test");
       w.client.frames().continuation(1, {}, true);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    // --- error codes
    {"7", "GOAWAY with an unknown code is like any other",
     [](Wire& w) {
       w.client.frames().goaway(0, ErrorCode{0xff});
       w.client.ping();
     },
     "PING ACK 2a"},
    {"7", "RST_STREAM with an unknown code closes the stream, no more",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1, ErrorCode{0xff});
       w.client.ping();
     },
     "PING ACK 2a"},
};

PERCH_TEST_RULES(Rfc9113Frames, kFrameRules);

}  // namespace
}  // namespace perch::http2
