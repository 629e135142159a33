#include "perchd/access_log.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace perch::perchd {
namespace {

using namespace std::chrono_literals;

// 12 March 2026, 13:14:15.678 UTC
constexpr std::chrono::system_clock::time_point kWhen{std::chrono::milliseconds(1'773'321'255'678)};

server::AccessRecord record() {
  server::AccessRecord record;
  record.remote = "192.0.2.1";
  record.method = "GET";
  record.target = "/a?b=c";
  record.authority = "perch.test";
  record.version = "HTTP/2.0";
  record.status = 200;
  record.body_bytes = 1234;
  record.duration = 5678us;
  record.referer = "https://perch.test/";
  record.user_agent = "curl/7.88";
  record.tls_version = "TLSv1.3";
  record.tls_cipher = "TLS_AES_128_GCM_SHA256";
  return record;
}

std::string line(AccessFormat format, const server::AccessRecord& record) {
  std::string text;
  append_access_line(text, format, record, kWhen);
  return text;
}

TEST(AccessLine, InCommonFormat) {
  EXPECT_EQ(line(AccessFormat::kCommon, record()),
            R"(192.0.2.1 - - [12/Mar/2026:13:14:15 +0000] "GET /a?b=c HTTP/2.0" 200 1234)");
}

TEST(AccessLine, InCombinedFormat) {
  EXPECT_EQ(
      line(AccessFormat::kCombined, record()),
      R"(192.0.2.1 - - [12/Mar/2026:13:14:15 +0000] "GET /a?b=c HTTP/2.0" 200 1234 "https://perch.test/" "curl/7.88")");
  server::AccessRecord bare = record();
  bare.remote = bare.referer = bare.user_agent = "";
  EXPECT_EQ(line(AccessFormat::kCombined, bare),
            R"(- - - [12/Mar/2026:13:14:15 +0000] "GET /a?b=c HTTP/2.0" 200 1234 "-" "-")");
}

TEST(AccessLine, InJson) {
  EXPECT_EQ(
      line(AccessFormat::kJson, record()),
      R"({"time":"2026-03-12T13:14:15.678Z","remote":"192.0.2.1","method":"GET","target":"/a?b=c",)"
      R"("authority":"perch.test","version":"HTTP/2.0","status":200,"bytes":1234,"duration_us":5678,)"
      R"("referer":"https://perch.test/","user_agent":"curl/7.88","tls_version":"TLSv1.3",)"
      R"("tls_cipher":"TLS_AES_128_GCM_SHA256","end":"complete"})");
}

TEST(AccessLine, OfARequestThatWasGivenUp) {
  server::AccessRecord given_up = record();
  given_up.status = 0;
  given_up.body_bytes = 0;
  given_up.end = http::StreamEnd::kReset;
  EXPECT_NE(line(AccessFormat::kCommon, given_up).find("\" 499 0"), std::string::npos);
  const auto json = nlohmann::json::parse(line(AccessFormat::kJson, given_up));
  EXPECT_EQ(json["status"], 499);
  EXPECT_EQ(json["end"], "reset");
}

TEST(AccessLine, EscapesWhatAClientSent) {
  server::AccessRecord hostile = record();
  hostile.target = "/\" 200 1\n6.6.6.6 \\ \x7f\xc3\xa9";
  hostile.user_agent = "\x1b[31m\"\r\n";
  EXPECT_EQ(
      line(AccessFormat::kCombined, hostile),
      R"(192.0.2.1 - - [12/Mar/2026:13:14:15 +0000] "GET /\x22 200 1\x0A6.6.6.6 \x5C \x7F\xC3\xA9 HTTP/2.0" 200 1234 "https://perch.test/" "\x1B[31m\x22\x0D\x0A")");
}

TEST(AccessLine, CutsLongTextsOff) {
  server::AccessRecord long_one = record();
  const std::string agent(60'000, '"');
  long_one.user_agent = agent;
  const std::string written = line(AccessFormat::kCombined, long_one);
  EXPECT_LT(written.size(), 20'000U);
  EXPECT_TRUE(written.ends_with("\\x22...\""));
  const auto json = nlohmann::json::parse(line(AccessFormat::kJson, long_one));
  EXPECT_EQ(json["user_agent"].get<std::string>().size(), 4'096U + 3U);
}

// Whatever bytes come, each line is one JSON text, in UTF-8, with the same fields.
TEST(AccessLine, InJsonIsAlwaysJson) {
  for (int first = 0; first < 256; ++first) {
    for (const char* rest : {"", "\x80", "\xa0\x80", "\x90\x80\x80", "\xff", "\"}"}) {
      const std::string text = std::string(1, static_cast<char>(first)) + rest;
      server::AccessRecord hostile = record();
      hostile.target = hostile.authority = hostile.user_agent = text;
      const std::string written = line(AccessFormat::kJson, hostile);
      const auto json = nlohmann::json::parse(written, nullptr, false);
      ASSERT_FALSE(json.is_discarded()) << first << " " << written;
      EXPECT_EQ(json.size(), 14U);
      EXPECT_EQ(written.find('\n'), std::string::npos);
    }
  }
  server::AccessRecord latin = record();
  latin.target = "/\xe9\xc3\xa9";
  EXPECT_EQ(nlohmann::json::parse(line(AccessFormat::kJson, latin))["target"], "/\u00e9\u00e9");
}

}  // namespace
}  // namespace perch::perchd
