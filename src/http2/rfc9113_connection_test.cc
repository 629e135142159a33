// Chapters 3 and 4: starting a connection, the frame format, field blocks.
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::post;
using testing::Rule;
using testing::Wire;

constexpr const char* kPreface = "SETTINGS; WINDOW_UPDATE 0 +983041";

const Rule kConnectionRules[] = {
    {"3.4", "The server's preface is a SETTINGS frame, sent without waiting for the client",
     [](Wire&) {}, kPreface, false},
    {"3.4", "The client's preface is answered by an acknowledgement of its SETTINGS",
     [](Wire& w) {
       w.client.preface();
       w.client.settings();
     },
     "SETTINGS; WINDOW_UPDATE 0 +983041; SETTINGS ACK", false},
    {"3.4", "The client may send requests at once, before it has seen the server's preface",
     [](Wire& w) {
       w.client.preface();
       w.client.settings();
       w.client.request(1);
       w.client.settings_ack();
     },
     "SETTINGS; WINDOW_UPDATE 0 +983041; SETTINGS ACK; HEADERS 1 200; DATA 1 13 END_STREAM", false},
    {"3.4", "What is not the client's preface is a connection error",
     [](Wire& w) { w.client.raw(as_bytes("INVALID CONNECTION PREFACE\r\n\r\n")); },
     "SETTINGS; WINDOW_UPDATE 0 +983041; GOAWAY 0 PROTOCOL_ERROR", false},
    {"3.4", "A preface that goes wrong in its last octet is none",
     [](Wire& w) { w.client.raw(as_bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\r")); },
     "SETTINGS; WINDOW_UPDATE 0 +983041; GOAWAY 0 PROTOCOL_ERROR", false},
    {"3.4", "An HTTP/1.1 request is not a preface",
     [](Wire& w) { w.client.raw(as_bytes("GET / HTTP/1.1\r\nHost: perch.test\r\n\r\n")); },
     "SETTINGS; WINDOW_UPDATE 0 +983041; GOAWAY 0 PROTOCOL_ERROR", false},
    {"3.4", "The client's first frame is SETTINGS and no other",
     [](Wire& w) {
       w.client.preface();
       w.client.request(1);
     },
     "SETTINGS; WINDOW_UPDATE 0 +983041; GOAWAY 0 PROTOCOL_ERROR", false},
    {"3.4", "A SETTINGS acknowledgement is not the client's SETTINGS",
     [](Wire& w) {
       w.client.preface();
       w.client.settings_ack();
     },
     "SETTINGS; WINDOW_UPDATE 0 +983041; GOAWAY 0 PROTOCOL_ERROR", false},
    {"4.1", "Frames of unknown types are ignored, on the connection and on streams in any state",
     [](Wire& w) {
       w.client.raw("000008 16 00 00000000 0000000000000000");
       w.client.raw("000000 ff ff 00000001");
       w.client.ping();
     },
     "PING ACK 2a"},
    {"4.1", "Undefined flags are ignored",
     [](Wire& w) { w.client.raw("000008 06 16 00000000 0000000000000005"); }, "PING ACK 5"},
    {"4.1", "The reserved bit of the stream identifier is ignored",
     [](Wire& w) { w.client.raw("000008 06 00 80000000 0000000000000005"); }, "PING ACK 5"},
    {"4.1", "The reserved bit is ignored on a stream's frames too",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.raw("000004 03 00 80000001 00000008");
       w.client.ping();
     },
     "PING ACK 2a"},
    {"4.2", "A DATA frame of 2^14 octets is taken",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, testing::pattern(16384), true);
     },
     "HEADERS 1 200; DATA 1 16384 END_STREAM"},
    {"4.2", "A HEADERS frame of 2^14 octets is taken",
     [](Wire& w) {
       auto block = w.client.block(get());
       const auto name = testing::from_hex("00 01 78");  // "x", a literal that is not indexed
       block.insert(block.end(), name.begin(), name.end());
       const std::size_t left = 16384 - block.size() - 4;
       block.push_back(std::byte{0x7f});  // a string of 127 or more octets: left - 127 as a varint
       for (std::size_t n = left - 127, i = 0; i < 3; ++i, n >>= 7) {
         block.push_back(static_cast<std::byte>((n & 0x7f) | (i < 2 ? 0x80 : 0)));
       }
       block.resize(16384, std::byte{'v'});
       w.client.frames().headers(1, block, flags::kEndStream | flags::kEndHeaders);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"4.2", "A DATA frame larger than SETTINGS_MAX_FRAME_SIZE is a FRAME_SIZE_ERROR",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, testing::pattern(16385), true);
     },
     "GOAWAY 1 FRAME_SIZE_ERROR"},
    {"4.2", "A HEADERS frame larger than that is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, std::vector<std::byte>(16385), flags::kEndHeaders);
     },
     "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"4.2", "An oversized frame is refused by its header alone",
     [](Wire& w) { w.client.raw("ffffff ff 00 00000000"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
    {"4.3", "A field block that does not decode is a COMPRESSION_ERROR",
     [](Wire& w) { w.client.frames().headers(1, testing::from_hex("40"), 0x5); },
     "GOAWAY 0 COMPRESSION_ERROR"},
    {"4.3", "So is one in the middle of a string",
     [](Wire& w) { w.client.frames().headers(1, testing::from_hex("8286 4104 70"), 0x5); },
     "GOAWAY 0 COMPRESSION_ERROR"},
    {"4.3", "A field block may be cut anywhere",
     [](Wire& w) { w.client.request_in_parts(1, get("/bytes/3"), 4); },
     "HEADERS 1 200; DATA 1 3 END_STREAM"},
    {"4.3", "A PRIORITY frame inside a field block is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0);
       w.client.frames().priority(1, {.weight = 255});
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"4.3", "HEADERS of another stream inside a field block is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0);
       w.client.request(3);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"4.3", "A second HEADERS of the same stream inside its field block is a connection error",
     [](Wire& w) {
       w.client.frames().headers(1, w.client.block(get()), 0);
       w.client.request(1);
     },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"4.3", "The compression context is kept in step by blocks of refused requests",
     [](Wire& w) {
       auto fields = get();
       fields.emplace_back("connection", "close");
       fields.emplace_back("x-once", "kept in the table");
       w.client.request(1, fields);
       w.client.request(3, get("/", {{"x-once", "kept in the table"}}));
     },
     "RST_STREAM 1 PROTOCOL_ERROR; HEADERS 3 200; DATA 3 13 END_STREAM"},
};

PERCH_TEST_RULES(Rfc9113Connection, kConnectionRules);

}  // namespace
}  // namespace perch::http2
