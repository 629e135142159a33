// Chapter 8: requests, their fields and bodies; extensible priorities (RFC 9218).
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::FieldLines;
using testing::get;
using testing::post;
using testing::Rule;
using testing::Wire;

constexpr const char* kServed = "HEADERS 1 200; DATA 1 13 END_STREAM";
constexpr const char* kMalformed = "RST_STREAM 1 PROTOCOL_ERROR";

FieldLines without(FieldLines lines, std::size_t index) {
  lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(index));
  return lines;
}
FieldLines with_value(std::size_t index, std::string value) {
  FieldLines lines = get();
  lines[index].second = std::move(value);
  return lines;
}
void send(Wire& w, const FieldLines& lines) { w.client.request(1, lines); }
void send_extra(Wire& w, const char* name, const char* value) {
  send(w, get("/", {{name, value}}));
}

const Rule kMessageRules[] = {
    // --- framing
    {"8.1", "A GET is answered", [](Wire& w) { send(w, get()); }, kServed},
    {"8.1", "A HEAD is answered without content", [](Wire& w) { send(w, with_value(0, "HEAD")); },
     "HEADERS 1 200 END_STREAM"},
    {"8.1", "A POST is answered",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "test", true);
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"8.1", "A POST with trailers is answered",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"trailer", "x-test"}}), false);
       w.client.data(1, "test");
       w.client.trailers(1, {{"x-test", "ok"}});
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"8.1", "Trailers may follow the header section at once",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.trailers(1, {{"x-test", "ok"}});
     },
     "HEADERS 1 200 END_STREAM"},
    {"8.1", "A second HEADERS without END_STREAM is malformed",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "test");
       w.client.request(1, {{"x-test", "ok"}}, false);
     },
     kMalformed},
    {"8.1", "Interim responses come before the final one",
     [](Wire& w) { send(w, get("/interim")); },
     "HEADERS 1 100; HEADERS 1 200; DATA 1 13 END_STREAM"},
    {"8.1", "Responses may have trailers", [](Wire& w) { send(w, get("/trailers/5")); },
     "HEADERS 1 200; DATA 1 5; HEADERS 1 trailers END_STREAM"},
    {"8.1", "A 204 has no content", [](Wire& w) { send(w, get("/status/204")); },
     "HEADERS 1 204 END_STREAM"},
    {"8.1", "A 304 has no content", [](Wire& w) { send(w, get("/status/304")); },
     "HEADERS 1 304 END_STREAM"},
    {"8.1.1", "A Content-Length that DATA exceeds is malformed",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "1"}}), false);
       w.client.data(1, "test", true);
     },
     kMalformed},
    {"8.1.1", "The sum of several DATA frames counts",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "1"}}), false);
       w.client.data(1, "t");
       w.client.data(1, "est", true);
     },
     kMalformed},
    {"8.1.1", "A Content-Length that DATA does not reach is malformed",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "5"}}), false);
       w.client.data(1, "test", true);
     },
     kMalformed},
    {"8.1.1", "The same where trailers end the body",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "5"}}), false);
       w.client.data(1, "test");
       w.client.trailers(1, {{"x-test", "ok"}});
     },
     kMalformed},
    {"8.1.1", "A Content-Length above 0 without a body is malformed",
     [](Wire& w) { w.client.request(1, post("/echo", {{"content-length", "5"}})); }, kMalformed},
    {"8.1.1", "A Content-Length that is right is right, padding apart",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "4"}}), false);
       w.client.frames().data(1, as_bytes("test"), true, 9);
     },
     "HEADERS 1 200; DATA 1 4 END_STREAM"},
    {"8.1.1", "Content-Length 0 without a body is right",
     [](Wire& w) { w.client.request(1, post("/echo", {{"content-length", "0"}})); },
     "HEADERS 1 200 END_STREAM"},
    {"8.1.1", "A Content-Length that is no number is malformed",
     [](Wire& w) { send_extra(w, "content-length", "+4"); }, kMalformed},
    {"8.1.1", "An empty one too", [](Wire& w) { send_extra(w, "content-length", ""); }, kMalformed},
    {"8.1.1", "One beyond 64 bits too",
     [](Wire& w) { send_extra(w, "content-length", "18446744073709551616"); }, kMalformed},
    {"8.1.1", "Two of them too",
     [](Wire& w) {
       w.client.request(1, post("/echo", {{"content-length", "4"}, {"content-length", "4"}}),
                        false);
     },
     kMalformed},
    // --- the same when the response was complete before the error
    {"8.1", "A second HEADERS without END_STREAM after an early response is malformed",
     [](Wire& w) {
       w.client.request(1, post("/early"), false);
       w.exchange();
       w.client.request(1, {{"x-test", "ok"}}, false);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 PROTOCOL_ERROR"},
    {"8.1.1", "A Content-Length that is missed after an early response is malformed",
     [](Wire& w) {
       w.client.request(1, post("/early", {{"content-length", "1"}}), false);
       w.exchange();
       w.client.data(1, "test", true);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 PROTOCOL_ERROR"},
    {"8.3", "A pseudo-field in trailers after an early response is malformed",
     [](Wire& w) {
       w.client.request(1, post("/early"), false);
       w.exchange();
       w.client.trailers(1, {{":method", "200"}});
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; RST_STREAM 1 PROTOCOL_ERROR"},
    // --- fields
    {"8.2.1", "Upper-case letters in a field name are malformed",
     [](Wire& w) { send_extra(w, "X-TEST", "ok"); }, kMalformed},
    {"8.2.1", "So are blanks", [](Wire& w) { send_extra(w, "x test", "ok"); }, kMalformed},
    {"8.2.1", "So are octets above 0x7e", [](Wire& w) { send_extra(w, "x-\x7f", "ok"); },
     kMalformed},
    {"8.2.1", "So is a colon inside a name", [](Wire& w) { send_extra(w, "x:y", "ok"); },
     kMalformed},
    {"8.2.1", "So is an empty name", [](Wire& w) { send_extra(w, "", "ok"); }, kMalformed},
    {"8.2.1", "A line feed in a value is malformed",
     [](Wire& w) { send_extra(w, "x-test", "a\nb"); }, kMalformed},
    {"8.2.1", "A carriage return too", [](Wire& w) { send_extra(w, "x-test", "a\rb"); },
     kMalformed},
    {"8.2.1", "NUL too", [](Wire& w) { send(w, get("/", {{"x-test", std::string("a\0b", 3)}})); },
     kMalformed},
    {"8.2.1", "A value may not begin with a blank", [](Wire& w) { send_extra(w, "x-test", " a"); },
     kMalformed},
    {"8.2.1", "Nor end with one", [](Wire& w) { send_extra(w, "x-test", "a\t"); }, kMalformed},
    {"8.2.1", "It may be empty, and hold any other octet",
     [](Wire& w) {
       send(w, get("/", {{"x-empty", ""},
                         {"x-test",
                          "a \t\x80\xff"
                          "b"}}));
     },
     kServed},
    {"8.2.1", "Trailers are held to the same",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.trailers(1, {{"X-Test", "ok"}});
     },
     kMalformed},
    {"8.2.2", "Connection is malformed", [](Wire& w) { send_extra(w, "connection", "keep-alive"); },
     kMalformed},
    {"8.2.2", "Keep-Alive is malformed", [](Wire& w) { send_extra(w, "keep-alive", "timeout=5"); },
     kMalformed},
    {"8.2.2", "Proxy-Connection is malformed",
     [](Wire& w) { send_extra(w, "proxy-connection", "keep-alive"); }, kMalformed},
    {"8.2.2", "Transfer-Encoding is malformed",
     [](Wire& w) { send_extra(w, "transfer-encoding", "chunked"); }, kMalformed},
    {"8.2.2", "Upgrade is malformed", [](Wire& w) { send_extra(w, "upgrade", "h2c"); }, kMalformed},
    {"8.2.2", "TE other than trailers is malformed",
     [](Wire& w) { send_extra(w, "te", "trailers, deflate;q=0.5"); }, kMalformed},
    {"8.2.2", "TE: trailers is accepted", [](Wire& w) { send_extra(w, "te", "trailers"); },
     kServed},
    {"8.2.3", "Cookies may come in crumbs",
     [](Wire& w) { send(w, get("/", {{"cookie", "a=1"}, {"cookie", "b=2"}})); }, kServed},
    // --- pseudo-fields
    {"8.3", "An unknown pseudo-field is malformed", [](Wire& w) { send_extra(w, ":test", "ok"); },
     kMalformed},
    {"8.3", "A response's pseudo-field in a request is malformed",
     [](Wire& w) { send_extra(w, ":status", "200"); }, kMalformed},
    {"8.3", "A pseudo-field in trailers is malformed",
     [](Wire& w) {
       w.client.request(1, post(), false);
       w.client.data(1, "test");
       w.client.trailers(1, {{":method", "200"}});
     },
     kMalformed},
    {"8.3", "A pseudo-field after a field is malformed",
     [](Wire& w) {
       FieldLines lines = get();
       lines.insert(lines.begin() + 2, {"x-test", "ok"});
       send(w, lines);
     },
     kMalformed},
    {"8.3.1", "An empty :path is malformed", [](Wire& w) { send(w, with_value(2, "")); },
     kMalformed},
    {"8.3.1", "A :path is origin-form", [](Wire& w) { send(w, with_value(2, "index.html")); },
     kMalformed},
    {"8.3.1", "An absolute URI in :path is malformed",
     [](Wire& w) { send(w, with_value(2, "http://perch.test/")); }, kMalformed},
    {"8.3.1", "A fragment in :path is malformed", [](Wire& w) { send(w, with_value(2, "/#a")); },
     kMalformed},
    {"8.3.1", "A blank in :path is malformed", [](Wire& w) { send(w, with_value(2, "/a b")); },
     kMalformed},
    {"8.3.1", "* is for OPTIONS alone", [](Wire& w) { send(w, with_value(2, "*")); }, kMalformed},
    {"8.3.1", "OPTIONS may ask for *",
     [](Wire& w) {
       FieldLines lines = with_value(2, "*");
       lines[0].second = "OPTIONS";
       send(w, lines);
     },
     kServed},
    {"8.3.1", "A request without :method is malformed", [](Wire& w) { send(w, without(get(), 0)); },
     kMalformed},
    {"8.3.1", "A request without :scheme is malformed", [](Wire& w) { send(w, without(get(), 1)); },
     kMalformed},
    {"8.3.1", "A request without :path is malformed", [](Wire& w) { send(w, without(get(), 2)); },
     kMalformed},
    {"8.3.1", "A request that names no authority is malformed",
     [](Wire& w) { send(w, without(get(), 3)); }, kMalformed},
    {"8.3.1", "Host stands in for :authority",
     [](Wire& w) {
       FieldLines lines = without(get(), 3);
       lines.emplace_back("host", "perch.test");
       send(w, lines);
     },
     kServed},
    {"8.3.1", "Host may repeat :authority", [](Wire& w) { send_extra(w, "host", "PERCH.test"); },
     kServed},
    {"8.3.1", "Host may not contradict :authority",
     [](Wire& w) { send_extra(w, "host", "other.test"); }, kMalformed},
    {"8.3.1", ":authority carries no user information",
     [](Wire& w) { send(w, with_value(3, "me@perch.test")); }, kMalformed},
    {"8.3.1", "A second :method is malformed", [](Wire& w) { send_extra(w, ":method", "GET"); },
     kMalformed},
    {"8.3.1", "A second :scheme is malformed", [](Wire& w) { send_extra(w, ":scheme", "http"); },
     kMalformed},
    {"8.3.1", "A second :path is malformed", [](Wire& w) { send_extra(w, ":path", "/"); },
     kMalformed},
    {"8.3.1", "A second :path right after the first is malformed",
     [](Wire& w) {
       FieldLines lines = get();
       lines.insert(lines.begin() + 3, lines[2]);
       send(w, lines);
     },
     kMalformed},
    {"8.3.1", "A method that is no token is malformed",
     [](Wire& w) { send(w, with_value(0, "GE T")); }, kMalformed},
    {"8.3.1", "A scheme that is none is malformed",
     [](Wire& w) { send(w, with_value(1, "ht tp")); }, kMalformed},
    {"8.4", "A client cannot push",
     [](Wire& w) {
       w.client.request(1, get("/hold"));
       w.client.frames().push_promise(1, 3, w.client.block(get()), 0x4);
     },
     "GOAWAY 1 PROTOCOL_ERROR"},
    {"8.5", "CONNECT has no :scheme and no :path",
     [](Wire& w) { send(w, {{":method", "CONNECT"}, {":authority", "perch.test:80"}}); }, kServed},
    {"8.5", "CONNECT with them is malformed", [](Wire& w) { send(w, with_value(0, "CONNECT")); },
     kMalformed},
    {"8.5", "CONNECT without :authority is malformed",
     [](Wire& w) { send(w, {{":method", "CONNECT"}}); }, kMalformed},
    // --- extensible priorities
    {"9218 4", "The Priority field is accepted, also where it does not parse",
     [](Wire& w) { send(w, get("/", {{"priority", "u=9, i=2, ;;x"}})); }, kServed},
    {"9218 7.1", "PRIORITY_UPDATE is accepted for streams in any state",
     [](Wire& w) {
       w.client.raw("000007 10 00 00000000 00000001 753d31");
       w.client.request(1);
       w.exchange();
       w.client.raw("000007 10 00 00000000 00000001 753d31");
     },
     kServed},
    {"9218 7.1", "PRIORITY_UPDATE on a stream is a connection error",
     [](Wire& w) { w.client.raw("000007 10 00 00000001 00000001 753d31"); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"9218 7.1", "PRIORITY_UPDATE of stream 0 is a connection error",
     [](Wire& w) { w.client.raw("000007 10 00 00000000 00000000 753d31"); },
     "GOAWAY 0 PROTOCOL_ERROR"},
    {"9218 7.1", "PRIORITY_UPDATE too short is a connection error",
     [](Wire& w) { w.client.raw("000003 10 00 00000000 000000"); }, "GOAWAY 0 FRAME_SIZE_ERROR"},
};

PERCH_TEST_RULES(Rfc9113Messages, kMessageRules);

}  // namespace
}  // namespace perch::http2
