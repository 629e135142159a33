#include "perchd/config.h"

#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <gtest/gtest.h>

#include "perchd/options.h"

namespace perch::perchd {
namespace {

using namespace std::chrono_literals;

std::string shipped_file() {
  std::ifstream in(PERCH_SOURCE_DIR "/apps/perchd/perchd.toml");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Settings stand behind a bare `#`, remarks behind `# `.
std::string uncommented(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)#(?=[a-z])"), "$1");
}

TEST(ShippedFile, GivesTheDefaultsAsItIs) {
  const auto config = parse_toml(shipped_file(), "perchd.toml");
  ASSERT_TRUE(config.has_value()) << to_string(config.error().front());
  EXPECT_EQ(*config, Config{});
}

TEST(ShippedFile, GivesTheDefaultsWithEveryLineUncommented) {
  // Another base, so that a setting which the file lacks would show.
  Config other;
  other.root = "elsewhere";
  other.listen = {"http://elsewhere"};
  other.workers = 3;
  other.parking = false;
  other.log_level = LogLevel::kTrace;
  other.log_file = "elsewhere";
  other.access_log = {.file = "elsewhere", .format = AccessFormat::kJson, .queue = 7};
  other.process = {.user = "else", .group = "else", .state_directory = "elsewhere"};
  other.tls = {.certificates = {{"a", "b", "c", "d"}},
               .min_version = TlsVersion::k13,
               .client_certificates = ClientCertificates::kRequire,
               .client_ca = "elsewhere",
               .session_tickets = false,
               .ticket_keys = "elsewhere",
               .ticket_rotation = 7s};
  other.timeouts = {.drain = 7s,
                    .upgrade = 7s,
                    .http2_idle = 7s,
                    .http1_idle = 7s,
                    .tls_handshake = 7s,
                    .parking_grace = 7s,
                    .parking_grace_max = 7s,
                    .headers = 7s,
                    .settings_ack = 7s,
                    .partial_frame = 7s,
                    .write_stall = 7s};
  other.limits = {.header_bytes = 7,
                  .header_fields = 7,
                  .concurrent_streams = 7,
                  .continuation_frames = 7,
                  .resets_per_10s = 7,
                  .useless_frames_per_10s = 7,
                  .queued_control_frames = 7,
                  .minimum_rate = 7,
                  .http1_target_bytes = 7,
                  .http1_chunk_extension_bytes = 7,
                  .http1_body_bytes = 7,
                  .tls_handshakes = 7};
  other.file_cache = {
      .files = 7, .open_files = 7, .memory = 7, .largest_body = 7, .revalidate = 7s};
  const auto config = parse_toml(uncommented(shipped_file()), "perchd.toml", other);
  ASSERT_TRUE(config.has_value()) << to_string(config.error().front());
  EXPECT_EQ(*config, Config{});
}

TEST(ShippedFile, NamesEveryOption) {
  const std::string text = uncommented(shipped_file());
  for (const Option& option : options()) {
    EXPECT_NE(text.find("\n" + std::string(option.key) + " = "), text.npos) << option.name();
  }
}

TEST(Config, TakesEveryKindOfValue) {
  const auto config = parse_toml(R"(
root = "/srv/www"
listen = ["http://127.0.0.1:80", "http://[::1]:0", "http://[::1]:0"]
workers = 4
parking = false
log_level = "warning"
limits.header_bytes = "1MiB"
[timeouts]
http2_idle = "2 h"
drain = "1500 ms"
)",
                                 "p.toml");
  ASSERT_TRUE(config.has_value()) << to_string(config.error().front());
  Config expected;
  expected.root = "/srv/www";
  expected.listen = {"http://127.0.0.1:80", "http://[::1]:0", "http://[::1]:0"};
  expected.workers = 4;
  expected.parking = false;
  expected.log_level = LogLevel::kWarning;
  expected.limits.header_bytes = 1 << 20;
  expected.timeouts.http2_idle = 2h;
  expected.timeouts.drain = 1500ms;
  EXPECT_EQ(*config, expected);
}

TEST(Config, TakesCertificatesInBothWaysOfWritingThem) {
  for (const char* text :
       {"[tls]\ncertificates = [{ certificate = 'a', key = 'b' },\n  { certificate = 'c', key = "
        "'d', "
        "ocsp_response = 'e' }]",
        "[[tls.certificates]]\ncertificate = 'a'\nkey = 'b'\n[[tls.certificates]]\ncertificate = "
        "'c'\nkey = 'd'\nocsp_response = 'e'"}) {
    const auto config = parse_toml(text, "p.toml");
    ASSERT_TRUE(config.has_value()) << to_string(config.error().front());
    EXPECT_EQ(config->tls.certificates,
              (std::vector<Certificate>{{"a", "b", "", ""}, {"c", "d", "e", ""}}));
    EXPECT_TRUE(config->tls.certificates[1].where.starts_with("p.toml:"));
  }
}

TEST(Differences, AreToldByName) {
  Config a;
  Config b;
  EXPECT_TRUE(differences(a, b).empty());
  b.workers = 3;
  b.tls.min_version = TlsVersion::k13;
  b.timeouts.drain = 1s;
  EXPECT_EQ(differences(a, b),
            (std::vector<std::string>{"workers", "tls.min_version", "timeouts.drain"}));
}

TEST(Config, TakesAnyCharacterInStringsAndComments) {
  const auto config = parse_toml(
      "\xef\xbb\xbf# \u00e9 \"\n"
      "root = \"\u00e9 \\\" '\" # '''\n"
      "log_level = \"\"\"off\"\"\" # \u03cf",
      "p.toml");
  ASSERT_TRUE(config.has_value()) << to_string(config.error().front());
  EXPECT_EQ(config->root, "\u00e9 \" '");
  EXPECT_EQ(config->log_level, LogLevel::kOff);
}

TEST(Config, TakesOneListenUrlWithoutAList) {
  const auto config = parse_toml("listen = \"http://example:81\"", "p.toml");
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->listen, std::vector<std::string>{"http://example:81"});
}

TEST(Config, KeepsTheBaseWhereTheFileIsSilent) {
  Config base;
  base.workers = 9;
  const auto config = parse_toml("parking = false", "p.toml", base);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->workers, 9U);
  EXPECT_FALSE(config->parking);
}

TEST(Config, AtTheEdgesOfARangeIsTaken) {
  for (const char* text : {"workers = 0", "workers = 1024", "timeouts.drain = \"24 h\"",
                           "limits.header_bytes = \"1 KiB\"", "limits.header_bytes = \"16 MiB\""}) {
    EXPECT_TRUE(parse_toml(text, "p.toml").has_value()) << text;
  }
}

}  // namespace
}  // namespace perch::perchd
