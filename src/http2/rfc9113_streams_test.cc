// Chapter 5: streams, their identifiers and states, flow control's principles, errors, extensions.
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::post;
using testing::Rule;
using testing::Wire;

const Rule kStreamRules[] = {
    // --- idle
    {"5.1 idle", "HEADERS opens a stream", [](Wire& w) { w.client.request(1); },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"5.1 idle", "PRIORITY is accepted",
     [](Wire& w) {
       w.client.frames().priority(1, {.weight = 255});
       w.client.ping();
     },
     "PING ACK 2a"},
    {"5.1 idle", "DATA is a connection error", [](Wire& w) { w.client.data(1, "test", true); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.1 idle", "RST_STREAM is a connection error", [](Wire& w) { w.client.reset(1); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.1 idle", "WINDOW_UPDATE is a connection error",
     [](Wire& w) { w.client.frames().window_update(1, 100); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.1 idle", "CONTINUATION is a connection error",
     [](Wire& w) { w.client.frames().continuation(1, w.client.block(get()), true); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.1 idle", "A stream of the server's that was never opened is idle",
     [](Wire& w) {
       w.client.request(5);
       w.client.frames().window_update(2, 100);
     },
     "GOAWAY 5 PROTOCOL_ERROR"},
    {"5.1 idle", "DATA on a stream of the server's is a connection error",
     [](Wire& w) {
       w.client.request(5, get("/hold"));
       w.client.data(2, "test");
     },
     "GOAWAY 5 PROTOCOL_ERROR"},
    // --- open
    {"5.1 open", "DATA, WINDOW_UPDATE and PRIORITY are accepted",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "te");
       w.client.window_update(1, 10);
       w.client.frames().priority(1, {.dependency = 3});
       w.client.data(1, "st", true);
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"5.1 open", "RST_STREAM closes",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
     },
     ""},
    // --- half-closed (remote)
    {"5.1 half-closed (remote)", "WINDOW_UPDATE is accepted and opens the window",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       w.client.request(1);
       w.exchange();
       w.client.window_update(1, 1);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 1"},
    {"5.1 half-closed (remote)", "PRIORITY is accepted",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       w.client.request(1);
       w.client.frames().priority(1, {.weight = 255});
       w.client.window_update(1, 1);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 1"},
    {"5.1 half-closed (remote)", "RST_STREAM is accepted",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.exchange();
       w.client.reset(1);
     },
     ""},
    {"5.1 half-closed (remote)", "DATA is a stream error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.data(1, "test", true);
     },
     "RST_STREAM 1 STREAM_CLOSED"},
    {"5.1 half-closed (remote)", "DATA with a response under way is a stream error",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       w.client.request(1);
       w.exchange();
       w.client.data(1, "test", true);
     },
     "SETTINGS ACK; HEADERS 1 200; RST_STREAM 1 STREAM_CLOSED"},
    {"5.1 half-closed (remote)", "HEADERS is a stream error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.request(1);
     },
     "RST_STREAM 1 STREAM_CLOSED"},
    {"5.1 half-closed (remote)", "CONTINUATION is an error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.frames().continuation(1, w.client.block(get()), true);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    // --- closed by the client's RST_STREAM
    {"5.1 closed", "DATA after RST_STREAM is an error",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
       w.client.data(1, "test", true);
     },
     "GOAWAY 1 STREAM_CLOSED"},
    {"5.1 closed", "HEADERS after RST_STREAM is an error",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
       w.client.request(1);
     },
     "GOAWAY 1 STREAM_CLOSED"},
    {"5.1 closed", "CONTINUATION after RST_STREAM is an error",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
       w.client.frames().continuation(1, w.client.block({{"x-dummy", "v"}}), true);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    {"5.1 closed", "RST_STREAM, WINDOW_UPDATE and PRIORITY after RST_STREAM are ignored",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.reset(1);
       w.exchange();
       w.client.reset(1);
       w.client.frames().window_update(1, 5);
       w.client.frames().priority(1, {});
       w.client.ping();
     },
     "PING ACK 2a"},
    // --- closed by END_STREAM both ways
    {"5.1 closed", "DATA after both sides have ended is a connection error",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.data(1, "test", true);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; GOAWAY 1 STREAM_CLOSED"},
    {"5.1 closed", "HEADERS after both sides have ended is a connection error",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; GOAWAY 1 STREAM_CLOSED"},
    {"5.1 closed", "CONTINUATION after both sides have ended is a connection error",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.frames().continuation(1, w.client.block({{"x-dummy", "v"}}), true);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; GOAWAY 1 PROTOCOL_ERROR"},
    {"5.1 closed", "PRIORITY on a closed stream is accepted",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.frames().priority(1, {.weight = 255});
       w.client.ping();
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; PING ACK 2a"},
    {"5.1 closed", "WINDOW_UPDATE and RST_STREAM that crossed END_STREAM are ignored",
     [](Wire& w) {
       w.client.request(1);
       w.exchange();
       w.client.frames().window_update(1, 13);
       w.client.reset(1);
       w.client.ping();
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; PING ACK 2a"},
    // --- closed by the server's RST_STREAM
    {"5.1 closed", "What was under way when the server reset a stream is ignored",
     [](Wire& w) {
       w.client.request(1, post("/refuse"), false);
       w.exchange();
       w.client.data(1, "test");
       w.client.request(1, {{"x-trailer", "late"}});
       w.client.ping();
     },
     "RST_STREAM 1 REFUSED_STREAM; PING ACK 2a"},
    {"5.1 closed", "Blocks on such a stream still enter the compression table",
     [](Wire& w) {
       w.client.request(1, post("/refuse"), false);
       w.exchange();
       w.client.request(1, {{"x-trailer", "late"}});
       w.client.request(3, get("/", {{"x-trailer", "late"}}));
     },
     "RST_STREAM 1 REFUSED_STREAM; HEADERS 3 200; DATA 3 13 END_STREAM"},
    // --- identifiers
    {"5.1.1", "A client's stream with an even identifier is a connection error",
     [](Wire& w) { w.client.request(2); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.1.1", "An identifier lower than an earlier one is a connection error",
     [](Wire& w) {
       w.client.request(5, get("/hold"));
       w.client.request(3);
     },
     "GOAWAY 5 PROTOCOL_ERROR"},
    {"5.1.1", "The same identifier again, while half-closed, is a stream error",
     [](Wire& w) {
       w.client.request(5, get("/hold"));
       w.client.request(5);
     },
     "RST_STREAM 5 STREAM_CLOSED"},
    {"5.1.1", "Identifiers may be skipped",
     [](Wire& w) {
       w.client.request(7);
       w.client.request(101);
     },
     "HEADERS 7 200; DATA 7 13 END_STREAM; HEADERS 101 200; DATA 101 13 END_STREAM"},
    {"5.1.1", "The largest identifier is one like any other",
     [](Wire& w) { w.client.request(kLargestStreamId); },
     "HEADERS 2147483647 200; DATA 2147483647 13 END_STREAM"},
    {"5.1.2", "A stream above the announced number is refused",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       for (StreamId id = 1; id < 256; id += 2) w.client.request(id, get("/hold"));
       w.exchange();
       w.client.request(257);
     },
     "SETTINGS ACK; RST_STREAM 257 REFUSED_STREAM"},
    {"5.1.2", "A stream that ends makes room for another",
     [](Wire& w) {
       for (StreamId id = 1; id < 256; id += 2) w.client.request(id, get("/hold"));
       w.client.reset(5);
       w.client.request(257, get("/bytes/1"));
     },
     "HEADERS 257 200; DATA 257 1 END_STREAM"},
    // --- flow control, priority
    {"5.2.1", "Both windows start at 65,535 octets",
     [](Wire& w) { w.client.request(1, get("/bytes/70000")); },
     "HEADERS 1 200; DATA 1 16384; DATA 1 16384; DATA 1 16384; DATA 1 16383"},
    {"5.2.2", "HEADERS and trailers pass while windows are closed",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       w.client.request(1, get("/trailers/0"));
     },
     "SETTINGS ACK; HEADERS 1 200; HEADERS 1 trailers END_STREAM"},
    {"5.3.1", "HEADERS that depend on their own stream are a stream error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0x5, std::nullopt,
                                 PriorityFields{.dependency = 1, .weight = 255});
     },
     "RST_STREAM 1 PROTOCOL_ERROR"},
    {"5.3.1", "A PRIORITY frame of an idle stream on itself is an error",
     [](Wire& w) { w.client.frames().priority(1, {.dependency = 1, .weight = 255}); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.3.1", "A PRIORITY frame of an open stream on itself is a stream error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.frames().priority(1, {.dependency = 1});
     },
     "RST_STREAM 1 PROTOCOL_ERROR"},
    {"5.3.2", "Priority signals of RFC 7540 are parsed and change nothing",
     [](Wire& w) {
       w.client.frames().priority(3, {.dependency = 1, .weight = 0, .exclusive = true});
       w.client.frames().headers(1, w.client.block(get()), 0x5, std::nullopt,
                                 PriorityFields{.dependency = 11, .weight = 15});
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    // --- errors
    {"5.4.1", "A connection error sends GOAWAY with the last stream that was received, then closes",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.request(3, get("/hold"));
       w.client.raw("000008 06 00 00000003 0000000000000000");
     },
     "GOAWAY 3 PROTOCOL_ERROR"},
    {"5.4.1", "Nothing is answered after a connection error",
     [](Wire& w) {
       w.client.raw("000008 06 00 00000003 0000000000000000");
       w.client.ping();
       w.client.request(1);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.4.2", "A stream error leaves the other streams alone",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.frames().window_update(1, 0);
       w.client.request(3);
     },
     "RST_STREAM 1 PROTOCOL_ERROR; HEADERS 3 200; DATA 3 13 END_STREAM"},
    {"5.4.2", "RST_STREAM is not answered by RST_STREAM",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.exchange();
       w.client.reset(1, ErrorCode::kInternalError);
     },
     ""},
    // --- extensions
    {"5.5", "Unknown frames are ignored wherever they come",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.raw("000003 16 ff 00000001 010203");
       w.client.data(1, "x", true);
     },
     "HEADERS 1 200; DATA 1 1 END_STREAM"},
    {"5.5", "Unknown frames inside a field block are a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), flags::kEndStream);
       w.client.raw("000008 16 00 00000000 0000000000000000");
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"5.5", "Unknown settings are ignored",
     [](Wire& w) { w.client.settings({{0xff, 1}, {0, 0}, {0xffff, UINT32_MAX}}); }, "SETTINGS ACK"},
};

PERCH_TEST_RULES(Rfc9113Streams, kStreamRules);

}  // namespace
}  // namespace perch::http2
