// Section 6.9: WINDOW_UPDATE and the flow-control windows.
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::post;
using testing::Rule;
using testing::Wire;

const Rule kWindowRules[] = {
    {"6.9", "WINDOW_UPDATE of the connection is accepted",
     [](Wire& w) {
       w.client.window_update(0, 1);
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.9", "WINDOW_UPDATE of the connection by 0 is a connection error",
     [](Wire& w) { w.client.frames().window_update(0, 0); }, "GOAWAY 0 PROTOCOL_ERROR"},
    {"6.9", "WINDOW_UPDATE of a stream by 0 is a stream error",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.frames().window_update(1, 0);
     },
     "RST_STREAM 1 PROTOCOL_ERROR"},
    {"6.9", "WINDOW_UPDATE that is not 4 octets long is a connection error",
     [](Wire& w) { w.client.raw("000003 08 00 00000000 000001"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"6.9", "The reserved bit of the increment is ignored",
     [](Wire& w) {
       w.client.raw("000004 08 00 00000000 80000001");
       w.client.request(1);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"6.9.1", "Not one octet more than the window is sent",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 1}});
       w.exchange();
       w.client.request(1);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 1"},
    {"6.9.1", "Each WINDOW_UPDATE admits what it says",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 1}});
       w.client.request(1);
       w.exchange();
       w.client.window_update(1, 5);
       w.exchange();
       w.client.window_update(1, 100);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 1; DATA 1 5; DATA 1 7 END_STREAM"},
    {"6.9.1", "A connection window above 2^31-1 is a connection error",
     [](Wire& w) {
       w.client.window_update(0, kLargestWindow);
       w.client.window_update(0, kLargestWindow);
     },
     "GOAWAY 0 FLOW_CONTROL_ERROR"},
    {"6.9.1", "The connection window may be exactly 2^31-1",
     [](Wire& w) {
       w.client.window_update(0, kLargestWindow - kDefaultWindow);
       w.client.ping();
     },
     "PING ACK 2a"},
    {"6.9.1", "A stream's window above 2^31-1 is a stream error",
     [](Wire& w) {
       w.client.request(1, post("/hold"), false);
       w.client.window_update(1, kLargestWindow);
       w.client.window_update(1, kLargestWindow);
     },
     "RST_STREAM 1 FLOW_CONTROL_ERROR"},
    {"6.9.1", "The same after an early response",
     [](Wire& w) {
       w.client.request(1, post("/early"), false);
       w.exchange();
       w.client.window_update(1, kLargestWindow);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 FLOW_CONTROL_ERROR"},
    {"6.9.1", "WINDOW_UPDATE by 0 after an early response is a stream error",
     [](Wire& w) {
       w.client.request(1, post("/early"), false);
       w.exchange();
       w.client.frames().window_update(1, 0);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 PROTOCOL_ERROR"},
    {"6.9.1", "DATA beyond the stream's window is a stream error",
     [](Wire& w) {
       w.owner.consume_at_once = false;
       w.client.request(1, post("/hold"), false);
       for (int i = 0; i < 3; ++i) w.client.data(1, testing::pattern(16'384));
       w.client.data(1, testing::pattern(16'383));
       w.client.data(1, "x");
     },
     "RST_STREAM 1 FLOW_CONTROL_ERROR"},
    {"6.9.2", "A change of INITIAL_WINDOW_SIZE adjusts the windows of open streams",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 0}});
       w.exchange();
       w.client.request(1);
       w.client.settings({{setting::kInitialWindowSize, 1}});
     },
     "SETTINGS ACK; SETTINGS ACK; HEADERS 1 200; DATA 1 1"},
    {"6.9.2", "A window may become negative, and is filled from there",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 3}});
       w.client.request(1);
       w.exchange();
       w.client.settings({{setting::kInitialWindowSize, 2}});
       w.exchange();
       w.client.window_update(1, 1);
       w.exchange();
       w.client.window_update(1, 1);
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 3; SETTINGS ACK; DATA 1 1"},
    {"6.9.2", "A change that overflows an open stream's window is a connection error",
     [](Wire& w) {
       w.client.request(1, post("/hold"), false);
       w.client.window_update(1, 1);
       w.client.settings({{setting::kInitialWindowSize, kLargestWindow}});
     },
     "GOAWAY 1 FLOW_CONTROL_ERROR"},
    {"6.9.2", "The connection's window is not changed by SETTINGS",
     [](Wire& w) {
       w.client.settings({{setting::kInitialWindowSize, 100'000}});
       w.client.request(1, get("/bytes/70000"));
     },
     "SETTINGS ACK; HEADERS 1 200; DATA 1 16384; DATA 1 16384; DATA 1 16384; DATA 1 16383"},
};

PERCH_TEST_RULES(Rfc9113Windows, kWindowRules);

}  // namespace
}  // namespace perch::http2
