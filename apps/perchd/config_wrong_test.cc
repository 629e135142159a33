// Every kind of mistake in perchd.toml, with the exact answer.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "perchd/config.h"

namespace perch::perchd {
namespace {

struct Wrong {
  std::string_view text;
  std::string_view answer;  // without the file's name
};

constexpr Wrong
    kWrong
        [] =
            {
                {R"(workers = "four")",
                 R"(1:11: workers is "four"; expected a whole number from 0 to 1024 (0: one per CPU))"},
                {R"(workers = 4.5)",
                 R"(1:11: workers is 4.5; expected a whole number from 0 to 1024 (0: one per CPU))"},
                {R"(workers = -1)",
                 R"(1:11: workers is -1; expected a whole number from 0 to 1024 (0: one per CPU))"},
                {R"(workers = 5000)",
                 R"(1:11: workers is 5000; expected a whole number from 0 to 1024 (0: one per CPU))"},
                {R"(workers = [4])",
                 R"(1:11: workers is an array; expected a whole number from 0 to 1024 (0: one per CPU))"},
                {R"(wrokers = 4)", R"(1:1: unknown key "wrokers"; did you mean "workers"?)"},
                {R"(listne = "http://localhost:1")",
                 R"(1:1: unknown key "listne"; did you mean "listen"?)"},
                {R"(frobnicate = 1)",
                 R"(1:1: unknown key "frobnicate"; expected one of root, listen, workers, parking, log_level, log_file)"},
                {R"(root = "")", R"(1:8: root is empty; expected a string that names a directory)"},
                {R"(root = 7)", R"(1:8: root is 7; expected a string that names a directory)"},
                {R"(parking = "on")", R"(1:11: parking is "on"; expected true or false)"},
                {R"(parking = 1)", R"(1:11: parking is 1; expected true or false)"},
                {R"(listen = [])",
                 R"(1:10: listen is an empty list; expected one or more of http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = 8080)",
                 R"(1:10: listen is 8080; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = ["http://a:1", 8080])",
                 R"(1:25: listen is 8080; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "localhost:8080")",
                 R"(1:10: listen "localhost:8080" has no scheme; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "ftp://localhost")",
                 R"(1:10: listen "ftp://localhost" has the scheme "ftp"; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://")",
                 R"(1:10: listen "http://" has no host; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://:80")",
                 R"(1:10: listen "http://:80" has no host; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a:")",
                 R"(1:10: listen "http://a:" has a colon without a port; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a:http")",
                 R"(1:10: listen "http://a:http" has a port that is not a number ("http"); expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a:65536")",
                 R"(1:10: listen "http://a:65536" has the port 65536, beyond 65535; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a:-1")",
                 R"(1:10: listen "http://a:-1" has a port that is not a number ("-1"); expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a/path")",
                 R"(1:10: listen "http://a/path" has a path; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a?q")",
                 R"(1:10: listen "http://a?q" has a query; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://u@a")",
                 R"(1:10: listen "http://u@a" has a user name; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://256.1.1.1")",
                 R"(1:10: listen "http://256.1.1.1" has a host that is not an IPv4 address (256.1.1.1); expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://[::1")",
                 R"(1:10: listen "http://[::1" has a `[` without its `]`; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://[1.2.3.4]")",
                 R"(1:10: listen "http://[1.2.3.4]" has a host that is not an IPv6 address (1.2.3.4); expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://[::1]8080")",
                 R"(1:10: listen "http://[::1]8080" has text after its `]`; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://::1")",
                 R"(1:10: listen "http://::1" has several colons (an IPv6 address stands in brackets); expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a..b")",
                 R"(1:10: listen "http://a..b" has an empty label in its host; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = "http://a b")",
                 R"(1:10: listen "http://a b" has the character ' ' in its host; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(listen = ["http://a", "http://A:80/"])",
                 R"(1:23: listen "http://A:80/" is listed twice; expected http://HOST[:PORT] or https://HOST[:PORT])"},
                {R"(log_level = "warn")",
                 R"(1:13: log_level is "warn"; expected one of trace, debug, info, warning, error, off)"},
                {R"(log_level = 3)",
                 R"(1:13: log_level is 3; expected one of trace, debug, info, warning, error, off)"},
                {R"(log_level = "loud")",
                 R"(1:13: log_level is "loud"; expected one of trace, debug, info, warning, error, off)"},
                {R"(timeouts = 5)",
                 R"(1:1: timeouts is not a table; expected a table: [timeouts])"},
                {R"([timeout]
drain = "1 s")",
                 R"(1:2: unknown table [timeout]; did you mean "timeouts"?)"},
                {R"([[timeouts]]
drain = "1 s")",
                 R"(1:3: timeouts is not a table; expected a table: [timeouts])"},
                {R"([timeouts]
drain = 30)",
                 R"(2:9: timeouts.drain 30 has no unit; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "30")",
                 R"(2:9: timeouts.drain "30" has no unit; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "soon")",
                 R"(2:9: timeouts.drain "soon" does not begin with a number; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "30 sec")",
                 R"(2:9: timeouts.drain "30 sec" has the unknown unit "sec" (did you mean "s"?); expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "30 parsecs")",
                 R"(2:9: timeouts.drain "30 parsecs" has the unknown unit "parsecs"; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "1.5 s")",
                 R"(2:9: timeouts.drain "1.5 s" is not a whole number; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "-1 s")",
                 R"(2:9: timeouts.drain "-1 s" does not begin with a number; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "25 h")",
                 R"(2:9: timeouts.drain is "25 h"; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "99999999999999999999 s")",
                 R"(2:9: timeouts.drain "99999999999999999999 s" is too large; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = "")",
                 R"(2:9: timeouts.drain "" is empty; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = 1.5)",
                 R"(2:9: timeouts.drain is 1.5; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = true)",
                 R"(2:9: timeouts.drain is true; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
drain = 2026-01-02)",
                 R"(2:9: timeouts.drain is a date; expected a duration in ms, s, min or h from "0 ms" to "24 h")"},
                {R"([timeouts]
http2_idle = "0 s")",
                 R"(2:14: timeouts.http2_idle is "0 s"; expected a duration in ms, s, min or h from "1 s" to "168 h")"},
                {R"([timeouts]
idel = "1 s")",
                 R"(2:1: unknown key "idel" in [timeouts]; expected one of drain, upgrade, http2_idle, http1_idle, tls_handshake, parking_grace, parking_grace_max, headers, settings_ack, partial_frame, write_stall)"},
                {R"([timeouts]
parking_grace = "20 s")",
                 R"(2:17: timeouts.parking_grace is "20 s", more than timeouts.parking_grace_max; expected at most "10 s")"},
                {R"([timeouts]
header_bytes = "64 KiB")",
                 R"(2:1: unknown key "header_bytes" in [timeouts]; expected "header_bytes" in the table [limits])"},
                {R"([limits]
workers = 1)",
                 R"(2:1: unknown key "workers" in [limits]; expected "workers" before the first table)"},
                {R"([limits]
header_bytes = 65536)",
                 R"(2:16: limits.header_bytes 65536 has no unit; expected a size in B, KiB, MiB or GiB from "1 KiB" to "16 MiB")"},
                {R"([limits]
header_bytes = "64 KB")",
                 R"(2:16: limits.header_bytes "64 KB" has the unknown unit "KB" (did you mean "KiB"?); expected a size in B, KiB, MiB or GiB from "1 KiB" to "16 MiB")"},
                {R"([limits]
header_bytes = "64")",
                 R"(2:16: limits.header_bytes "64" has no unit; expected a size in B, KiB, MiB or GiB from "1 KiB" to "16 MiB")"},
                {R"([limits]
header_bytes = "1 B")",
                 R"(2:16: limits.header_bytes is "1 B"; expected a size in B, KiB, MiB or GiB from "1 KiB" to "16 MiB")"},
                {R"([limits]
concurrent_streams = 0)",
                 R"(2:22: limits.concurrent_streams is 0; expected a whole number from 1 to 65535)"},
                {R"([limits]
header_fields = "many")",
                 R"(2:17: limits.header_fields is "many"; expected a whole number from 8 to 65535)"},
                {R"([limits]
colour = 1)",
                 R"(2:1: unknown key "colour" in [limits]; expected one of header_bytes, header_fields, concurrent_streams, continuation_frames, resets_per_10s, useless_frames_per_10s, queued_control_frames, minimum_rate, http1_target_bytes, http1_chunk_extension_bytes, http1_body_bytes, tls_handshakes)"},
                {R"([limits]
http1_target_bytes = "16")",
                 R"(2:22: limits.http1_target_bytes "16" has no unit; expected a size in B, KiB, MiB or GiB from "256 B" to "1 MiB")"},
                {R"([limits]
tls_handshakes = 0)",
                 R"(2:18: limits.tls_handshakes is 0; expected a whole number from 1 to 1000000)"},
                {R"([tls]
min_version = 1.2)",
                 R"(2:15: tls.min_version is 1.2; expected one of 1.2, 1.3)"},
                {R"([tls]
min_version = "1.1")",
                 R"(2:15: tls.min_version is "1.1"; expected one of 1.2, 1.3)"},
                {R"([tls]
client_certificates = "on")",
                 R"(2:23: tls.client_certificates is "on"; expected one of off, request, require)"},
                {R"([tls]
client_certificates = "require")",
                 R"(2:23: tls.client_certificates needs to know who may issue them; expected tls.client_ca with a file of certificates in PEM)"},
                {R"([tls]
client_ca = "ca.pem")",
                 R"(2:13: tls.client_ca has no effect while tls.client_certificates is off; expected tls.client_certificates to be request or require)"},
                {R"([tls]
client_ca = 1)",
                 R"(2:13: tls.client_ca is 1; expected a string: a file of certificates in PEM)"},
                {R"([tls]
certificates = "a.pem")",
                 R"(2:16: tls.certificates is "a.pem"; expected a list of { certificate = "FILE", key = "FILE" })"},
                {R"([tls]
certificates = ["a.pem"])",
                 R"(2:17: tls.certificates is "a.pem"; expected a list of { certificate = "FILE", key = "FILE" })"},
                {R"([tls]
certificates = [{ certificate = "a.pem" }])",
                 R"(2:17: tls.certificates has an entry without "key"; expected a list of { certificate = "FILE", key = "FILE" })"},
                {R"([tls]
certificates = [{ certificate = "a.pem", key = "" }])",
                 R"(2:48: tls.certificates.key is not the name of a file; expected a string that names a file)"},
                {R"([tls]
certificates = [{ certificate = "a.pem", key = "b.pem", oscp_response = "c" }])",
                 R"(2:57: unknown key "oscp_response" in tls.certificates; did you mean "ocsp_response"?)"},
                {R"([[tls.certificates]]
certificate = "a.pem"
key = "b.pem"
chain = "c.pem")",
                 R"(4:1: unknown key "chain" in tls.certificates; expected one of certificate, key, ocsp_response)"},
                {R"([tls]
ticket_rotation = "1 s")",
                 R"(2:19: tls.ticket_rotation is "1 s"; expected a duration in ms, s, min or h from "1 min" to "168 h")"},
                {R"([access_log]
format = "nginx")",
                 R"(2:10: access_log.format is "nginx"; expected one of common, combined, json)"},
                {R"([access_log]
queue = 1)",
                 R"(2:9: access_log.queue is 1; expected a whole number from 16 to 1000000)"},
                {R"(log_file = "")",
                 R"(1:12: log_file is empty; expected a string: the name of a file, or "stderr")"},
                {R"([process]
user = 0)",
                 R"(2:8: process.user is 0; expected a string: the name of a user)"},
                {R"([file_cache]
memory = "8 MB")",
                 R"(2:10: file_cache.memory "8 MB" has the unknown unit "MB" (did you mean "MiB"?); expected a size in B, KiB, MiB or GiB from "0 B" to "1024 GiB")"},
                {R"([file_cache]
largest_body = "1 MiB"
memory = "1 KiB")",
                 R"(2:16: file_cache.largest_body is "1 MiB", more than file_cache.memory; expected at most "1 KiB")"},
                {R"([file_cache]
memory = { size = 1 })",
                 R"(2:10: file_cache.memory is a table; expected a size in B, KiB, MiB or GiB from "0 B" to "1024 GiB")"},
                {R"(workers = )",
                 R"(1:11: cannot be read: key-value pair: encountered end-of-file; expected TOML: key = value, [table] or # comment)"},
                {R"(workers 4)",
                 R"(1:9: cannot be read: key-value pair: expected '=', saw '4'; expected TOML: key = value, [table] or # comment)"},
                {R"(workers = 4 5)",
                 R"(1:13: cannot be read: key-value pair: expected a comment or whitespace, saw '5'; expected TOML: key = value, [table] or # comment)"},
                {R"(workers = 4
workers = 5)",
                 R"(2:11: cannot be read: key-value pair: cannot redefine existing integer 'workers'; expected TOML: key = value, [table] or # comment)"},
                {R"([limits)",
                 R"(1:8: cannot be read: table header: encountered end-of-file; expected TOML: key = value, [table] or # comment)"},
                {R"(root = "abc)",
                 R"(1:12: cannot be read: string: encountered end-of-file; expected TOML: key = value, [table] or # comment)"},
                {R"(= 3)",
                 R"(1:1: cannot be read: root table: expected keys, tables, whitespace or comments, saw '='; expected TOML: key = value, [table] or # comment)"},
                {R"(root = "\q")",
                 R"(1:10: cannot be read: string: unknown escape sequence '\q'; expected TOML: key = value, [table] or # comment)"},
};

TEST(WrongConfig, IsAnsweredWithThePlaceTheMistakeAndTheExpectation) {
  for (const Wrong& wrong : kWrong) {
    const auto config = parse_toml(wrong.text, "p.toml");
    ASSERT_FALSE(config.has_value()) << wrong.text;
    ASSERT_EQ(config.error().size(), 1U) << wrong.text;
    EXPECT_EQ(to_string(config.error().front()), "p.toml:" + std::string(wrong.answer))
        << wrong.text;
  }
}

TEST(WrongConfig, WithZeroByteIsRefusedBeforeItIsParsed) {
  const auto config = parse_toml(std::string_view("parking = true\nroot = 'a\0b'", 26), "p.toml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(to_string(config.error().front()),
            "p.toml:2:10: a zero byte; expected TOML: key = value, [table] or # comment");
}

TEST(WrongConfig, WithLettersOutsideOfAsciiInABareKeyIsRefused) {
  const auto config =
      parse_toml("# \u00e9\nroot = '\u00e9' # \u00e9\n'\u00e9' \u03cf = 1", "p.toml");
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(to_string(config.error().front()),
            "p.toml:3:5: a character outside of ASCII that is not in a string; "
            "expected TOML: key = value, [table] or # comment");
}

TEST(WrongConfig, ThatToml3AssertsOnIsRefusedWithItsLine) {
  for (const char* text : {"parking = true\nworkers = { a =[[ }\n[timeouts]\n", "\nroot = [ }"}) {
    const auto config = parse_toml(text, "p.toml");
    ASSERT_FALSE(config.has_value());
    EXPECT_EQ(to_string(config.error().front()),
              "p.toml:2:1: cannot be read: a bracket or a value where none may stand; "
              "expected TOML: key = value, [table] or # comment");
  }
}

TEST(WrongConfig, WithSeveralMistakesShowsAllFromTopToBottom) {
  const auto config = parse_toml(
      "workers = \"x\"\n"
      "listen = \"http://a:0\"\n"
      "root = 1\n"
      "\n"
      "[timeouts]\n"
      "drain = \"1 d\"\n"
      "[limits]\n"
      "header_fields = 1 # few\n"
      "foo = 1\n",
      "p.toml");
  ASSERT_FALSE(config.has_value());
  std::string all;
  for (const ConfigError& error : config.error()) all += error.where + " ";
  EXPECT_EQ(all, "p.toml:1:11 p.toml:3:8 p.toml:6:9 p.toml:8:17 p.toml:9:1 ");
}

}  // namespace
}  // namespace perch::perchd
