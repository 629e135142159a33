// Request heads: what is a request, whom it is for, and what is refused with which status.
#include <vector>

#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/wire.h"

namespace perch::http1 {
namespace {

using namespace std::string_literals;
using testing::Case;
using testing::check_cases;
using testing::get;
using testing::post;
using testing::repeat;
using testing::Wire;

const std::string kRefused = "=> 400 closed";
const std::string kServed = "GET / => 200 open";

std::string line(std::string_view request_line) {
  return std::string(request_line).append("\r\nHost: a\r\n\r\n");
}

TEST(Request, Lines) {
  const std::vector<Case> cases = {
      {"simplest", get(), kServed},
      {"one empty line before", "\r\n" + get(), kServed},
      {"two empty lines before", "\r\n\r\n" + get(), kRefused},
      {"an LF before", "\n" + get(), kRefused},
      {"a space before", " " + get(), kRefused},
      {"a CR before", "\r" + get(), kRefused},
      {"an empty line between", get() + "\r\n" + get(), "GET /, GET / => 200 200 open"},
      {"HTTP/0.9", "GET /\r\n", kRefused},
      {"HTTP/0.9 with a space", "GET / \r\n", kRefused},
      {"version 0.9", line("GET / HTTP/0.9"), "=> 505 closed"},
      {"version 1.2", line("GET / HTTP/1.2"), "=> 505 closed"},
      {"version 2.0", line("GET / HTTP/2.0"), "=> 505 closed"},
      {"HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "=> 505 closed"},
      {"version of two digits", line("GET / HTTP/1.10"), kRefused},
      {"version in small letters", line("GET / http/1.1"), kRefused},
      {"no minor version", line("GET / HTTP/1"), kRefused},
      {"another protocol", line("GET / ICY/1.1"), kRefused},
      {"space behind the version", line("GET / HTTP/1.1 "), kRefused},
      {"two spaces before the target", line("GET  / HTTP/1.1"), kRefused},
      {"two spaces behind the target", line("GET /  HTTP/1.1"), kRefused},
      {"tabs", line("GET\t/\tHTTP/1.1"), kRefused},
      {"space in the target", line("GET /a b HTTP/1.1"), kRefused},
      {"tab in the target", line("GET /a\tb HTTP/1.1"), kRefused},
      {"NUL in the target", line("GET /a\0b HTTP/1.1"s), kRefused},
      {"DEL in the target", line("GET /a\x7f HTTP/1.1"), kRefused},
      {"CR in the target", line("GET /a\rb HTTP/1.1"), kRefused},
      {"fragment", line("GET /#a HTTP/1.1"), kRefused},
      {"no target", line("GET HTTP/1.1"), kRefused},
      {"no method", line(" / HTTP/1.1"), kRefused},
      {"method that is no token", line("G(T / HTTP/1.1"), kRefused},
      {"unknown method", line("BREW / HTTP/1.1"), "BREW / => 200 open"},
      {"small letters are another method", line("get / HTTP/1.1"), "get / => 200 open"},
      {"long method", line(repeat("M", 33) + " / HTTP/1.1"), "=> 501 closed"},
      {"CONNECT", line("CONNECT a:80 HTTP/1.1"), "=> 501 closed"},
      {"bare LF behind the line", "GET / HTTP/1.1\nHost: a\r\n\r\n", kRefused},
      {"bare LF everywhere", "GET / HTTP/1.1\nHost: a\n\n", kRefused},
      {"bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n", kRefused},
      {"TLS", "\x16\x03\x01\x02\n\x01\x00\x01\xfc"s, kRefused},
      {"space before the first field", "GET / HTTP/1.1\r\n Host: a\r\nHost: a\r\n\r\n", kRefused},
  };
  check_cases(cases);
}

TEST(Request, Targets) {
  const auto host = [](std::string_view request_line) {
    return std::string(request_line).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
  };
  const std::vector<Case> cases = {
      {"query", host("GET /?a=/b?c"), "GET /?a=/b?c => 404 open"},
      {"high bytes", host("GET /\xc3\xa4"), "GET /\xc3\xa4 => 404 open"},
      {"two slashes are a path", host("GET //b/c"), "GET //b/c => 404 open"},
      {"absolute", host("GET http://a/echo"), "GET /echo => 200 open"},
      {"absolute in capitals", host("GET HTTP://a/"), kServed},
      {"absolute without a path", host("GET http://a"), kServed},
      {"absolute with a query only", host("GET http://a?b"), "GET /?b => 404 open"},
      {"absolute for another host", host("GET http://b/"), kServed},
      {"absolute with user information", host("GET http://u@a/"), kRefused},
      {"absolute without a host", host("GET http:///"), kRefused},
      {"absolute with a bad port", host("GET http://a:8x/"), kRefused},
      {"absolute, https", host("GET https://a/"), "=> 421 closed"},
      {"absolute, another scheme", host("GET ftp://a/"), kRefused},
      {"absolute without Host", "GET http://a/ HTTP/1.1\r\n\r\n", kRefused},
      {"authority form", host("GET a:80"), kRefused},
      {"relative", host("GET a/b"), kRefused},
      {"asterisk", host("OPTIONS *"), "OPTIONS * => 200 open"},
      {"asterisk in absolute form", host("OPTIONS http://a"), "OPTIONS * => 200 open"},
      {"asterisk of GET", host("GET *"), kRefused},
      {"asterisk and more", host("OPTIONS *a"), kRefused},
      {"long", host("GET /" + repeat("a", 16'383)), "GET /" + repeat("a", 16'383) + " => 404 open"},
      {"too long", host("GET /" + repeat("a", 16'384)), "=> 414 closed"},
      {"without an end", "GET /" + repeat("a", 100'000), "=> 414 closed"},
  };
  check_cases(cases);
}

TEST(Request, Hosts) {
  const auto host = [](std::string_view lines) {
    return std::string("GET / HTTP/1.1\r\n").append(lines).append("\r\n");
  };
  const std::vector<Case> cases = {
      {"none", host(""), kRefused},
      {"none in HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "GET / => 200 closed"},
      {"two", host("Host: a\r\nHost: b\r\n"), kRefused},
      {"two alike", host("Host: a\r\nHost: a\r\n"), kRefused},
      {"two in HTTP/1.0", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", kRefused},
      {"two in one", host("Host: a, b\r\n"), kRefused},
      {"two in one without a space", host("Host: a,b\r\n"), kRefused},
      {"empty", host("Host:\r\n"), kRefused},
      {"only a port", host("Host: :80\r\n"), kRefused},
      {"space", host("Host: a b\r\n"), kRefused},
      {"user information", host("Host: u@a\r\n"), kRefused},
      {"path", host("Host: a/b\r\n"), kRefused},
      {"URL", host("Host: http://a\r\n"), kRefused},
      {"high byte", host("Host: \xc3\xa4\r\n"), kRefused},
      {"escape that is none", host("Host: a%2\r\n"), kRefused},
      {"port of letters", host("Host: a:http\r\n"), kRefused},
      {"port of six digits", host("Host: a:123456\r\n"), kRefused},
      {"bracket without an end", host("Host: [::1\r\n"), kRefused},
      {"folded", host("Host:\r\n a\r\n"), kRefused},
      {"space before the colon", host("Host : a\r\n"), kRefused},
      {"name", host("Host: www.example.com\r\n"), kServed},
      {"port", host("hOST:a:8080\r\n"), kServed},
      {"IPv6", host("Host: [2001:db8::1]:443\r\n"), kServed},
      {"underscore and escape", host("Host: a_b%20c\r\n"), kServed},
  };
  check_cases(cases);
}

TEST(Request, Fields) {
  const std::vector<Case> cases = {
      {"empty value", get("X:\r\n"), kServed},
      {"blanks around", get("X: \t a \t \r\n"), kServed},
      {"high bytes", get("X: \xff\r\n"), kServed},
      {"NUL", get("X: a\0b\r\n"s), kRefused},
      {"control character", get("X: a\x01\r\n"), kRefused},
      {"DEL", get("X: a\x7f\r\n"), kRefused},
      {"bare CR", get("X: a\rb\r\n"), kRefused},
      {"folded", get("X: a\r\n b\r\n"), kRefused},
      {"folded with a tab", get("X: a\r\n\tb\r\n"), kRefused},
      {"folded and empty", get("X: a\r\n \r\n"), kRefused},
      {"no colon", get("X\r\n"), kRefused},
      {"no name", get(": a\r\n"), kRefused},
      {"space in the name", get("X Y: a\r\n"), kRefused},
      {"space before the colon", get("X : a\r\n"), kRefused},
      {"high byte in the name", get("X\xc3: a\r\n"), kRefused},
      {"NUL in the name", get("X\0: a\r\n"s), kRefused},
      {"bracket in the name", get("X[: a\r\n"), kRefused},
      {"256", get(repeat("X: a\r\n", 255)), kServed},
      {"257", get(repeat("X: a\r\n", 256)), "=> 431 closed"},
      {"300", get(repeat("X: a\r\n", 300)), "=> 431 closed"},
      {"90 cookies", get(repeat("Cookie: a=b\r\n", 90)), kServed},
      {"64 KiB but for 72 bytes", get("X: " + repeat("a", 65'536 - 33 - 37) + "\r\n"), kServed},
      {"64 KiB and one", get("X: " + repeat("a", 65'536 - 33 - 36) + "\r\n"), "=> 431 closed"},
      {"without an end", get().substr(0, 20) + "\r\nX: " + repeat("a", 200'000), "=> 431 closed"},
      {"many without an end", get().substr(0, 25) + repeat("X: a\r\n", 20'000), "=> 431 closed"},
      {"malformed Connection", get("Connection: ;\r\n"), kRefused},
      {"Upgrade is ignored",
       get("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"),
       kServed},
      {"expectation", post("Expect: 100-Continue\r\nContent-Length: 2\r\n", "hi", "/continue"),
       "POST /continue=hi => 100 200 open"},
      {"unknown expectation", post("Expect: 200-ok\r\nContent-Length: 2\r\n", "hi"),
       "=> 417 closed"},
      {"expectation and more", post("Expect: 100-continue, x\r\nContent-Length: 2\r\n", "hi"),
       "=> 417 closed"},
      {"expectation in HTTP/1.0",
       "POST /continue HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nhi",
       "POST /continue=hi => 200 closed"},
  };
  check_cases(cases);
}

TEST(Request, BodiesHaveALimit) {
  const std::vector<Case> cases = {
      {"of that size", post("Content-Length: 10\r\n", "0123456789"),
       "POST /echo=0123456789 => 200 open"},
      {"larger", post("Content-Length: 11\r\n", "0123456789a"), "=> 413 closed"},
      {"chunked, of that size", testing::chunked("5\r\nhello\r\n5\r\nworld\r\n0\r\n\r\n"),
       "POST /echo=helloworld => 200 open"},
      {"chunked, larger", testing::chunked("5\r\nhello\r\n6\r\nworlds\r\n0\r\n\r\n"),
       "POST /echo=hello! => 413 closed"},
      {"chunked, overflowing", testing::chunked("5\r\nhello\r\nffffffffffffffff\r\n"),
       "POST /echo=hello! => 413 closed"},
  };
  check_cases(cases, {.body_bytes = 10});
}

TEST(Request, AHandlerSeesWhatIsItsBusiness) {
  Wire wire;
  wire.send(
      "POST http://b:81/echo?q HTTP/1.1\r\nHost: a\r\nX-Upper: Value \r\nCookie: a=b\r\n"
      "Connection: keep-alive, x\r\nKeep-Alive: 5\r\nUpgrade: h2c\r\nExpect: 100-Continue\r\n"
      "Proxy-Connection: close\r\nContent-Length: 2\r\nTE: trailers\r\n\r\nhi");
  const auto& request = wire.owner.requests().at(0);
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/echo?q");
  EXPECT_EQ(request.authority, "b:81");
  const testing::FieldLines expected = {{"x-upper", "Value"},
                                        {"cookie", "a=b"},
                                        {"expect", "100-continue"},
                                        {"content-length", "2"},
                                        {"te", "trailers"}};
  EXPECT_EQ(request.fields, expected);
}

TEST(Request, ASecuredConnectionTakesHttpsTargets) {
  Wire wire(testing::Delivery::kWhole, {.scheme = "https"});
  wire.send("GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\nGET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(wire.summary(), "GET /, GET / => 200 200 open");
}

}  // namespace
}  // namespace perch::http1
