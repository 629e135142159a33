#include "perch-load/run_result.h"

#include <gtest/gtest.h>

#include "perch-load/process_memory.h"
#include "perch-load/target_url.h"

namespace perch::load {
namespace {

using namespace std::chrono_literals;

RunOptions some_options() {
  RunOptions options;
  options.url_text = "http://a/";
  options.connections = 2000;
  options.pid = 7;
  return options;
}

RunResult good_result() {
  RunResult result;
  result.opened = result.held = 2000;
  result.opening_time = 1500ms;
  result.statuses = {{200, 2000}};
  result.protocols = {{"HTTP/2 in cleartext", 2000}};
  result.probes = result.probes_answered = 2;
  result.latencies = {3ms, 1ms};
  result.memory = {{"before", 0, ProcessMemory{1'000'000, 0, 500'000}},
                   {"idle", 2000, ProcessMemory{1'200'000, 200'000, 700'000}},
                   {"closed", 0, std::nullopt}};
  return result;
}

TEST(Report, ShowsTheRunAsAText) {
  EXPECT_EQ(report_text(some_options(), good_result()),
            "connections  2,000 asked for, 2,000 opened in 1.50 s, 2,000 held\n"
            "protocol     HTTP/2 in cleartext\n"
            "closed       0 by the server\n"
            "answers      2,000 with status 200\n"
            "probes       2 sent, 2 answered as before\n"
            "latency      p50 1.00 ms, p99 3.00 ms, max 3.00 ms\n"
            "pid 7           RSS + swap      anonymous   per connection:  RSS + swap   anonymous\n"
            "  before       1,000,000 B      500,000 B\n"
            "  idle         1,400,000 B      900,000 B                         200 B       200 B\n"
            "  closed     the process is gone, or hides its memory\n"
            "result       good\n");
}

TEST(Report, CountsProtocolsWhereTheServerChoseSeveral) {
  RunResult result = good_result();
  result.protocols = {{"HTTP/1.1 over TLSv1.3, X", 500}, {"HTTP/2 over TLSv1.3, X", 1500}};
  const std::string text = report_text(some_options(), result);
  EXPECT_NE(text.find("protocol           500  HTTP/1.1 over TLSv1.3, X\n"
                      "protocol         1,500  HTTP/2 over TLSv1.3, X\n"),
            text.npos)
      << text;
}

TEST(Report, ListsWhatWentWrongByReason) {
  RunResult result = good_result();
  result.memory.clear();
  result.lost = {{"GOAWAY NO_ERROR", 3}, {"without GOAWAY", 1200}};
  const std::string text = report_text(some_options(), result);
  EXPECT_NE(text.find("closed       1,203 by the server\n"
                      "                     3  GOAWAY NO_ERROR\n"
                      "                 1,200  without GOAWAY\n"),
            text.npos)
      << text;
  EXPECT_NE(text.find("result       not good\n"), text.npos);
}

TEST(Report, IsOneJsonObject) {
  EXPECT_EQ(report_json(some_options(), good_result()), R"({
  "url": "http://a/",
  "fields": "bare",
  "connections": 2000,
  "protocols": {"HTTP/2 in cleartext": 2000},
  "opened": 2000,
  "held": 2000,
  "opening_ms": 1500,
  "not_opened": {},
  "closed_by_server": {},
  "statuses": {"200": 2000},
  "probes": 2,
  "probes_good": 2,
  "wrong_answers": {},
  "latency_us": {"p50": 1000, "p99": 3000, "max": 3000},
  "memory": [{"when": "before", "connections": 0, "rss_bytes": 1000000, "swap_bytes": 0, "rss_anonymous_bytes": 500000}, {"when": "idle", "connections": 2000, "rss_bytes": 1200000, "swap_bytes": 200000, "rss_anonymous_bytes": 700000, "rss_and_swap_per_connection": 200, "anonymous_per_connection": 200}, {"when": "closed", "connections": 0}],
  "interrupted": false,
  "good": true
}
)");
}

TEST(RunResult, IsGoodOnlyWithoutAnyLossOrWrongAnswer) {
  EXPECT_TRUE(good_result().good());
  RunResult lost = good_result();
  lost.lost["reset"] = 1;
  EXPECT_FALSE(lost.good());
  RunResult wrong = good_result();
  wrong.wrong_answers["another body"] = 1;
  EXPECT_FALSE(wrong.good());
  RunResult refused = good_result();
  refused.not_opened["Connection refused"] = 1;
  EXPECT_FALSE(refused.good());
  EXPECT_FALSE(RunResult().good());
}

TEST(Percentile, IsTheNearestRank) {
  const std::vector<Duration> values = {1ms, 2ms, 3ms, 4ms};
  EXPECT_EQ(percentile(values, 0.5), Duration(2ms));
  EXPECT_EQ(percentile(values, 0.99), Duration(4ms));
  EXPECT_EQ(percentile(values, 0.0), Duration(1ms));
  EXPECT_EQ(percentile({}, 0.5), Duration(0));
}

TEST(ProcessMemory, IsReadFromTheStatusLines) {
  EXPECT_EQ(
      parse_process_status("Name:\tx\nVmRSS:\t  1200 kB\nRssAnon:\t     300 kB\nVmSwap:\t 8 kB\n"),
      (ProcessMemory{1200 * 1024, 8 * 1024, 300 * 1024}));
  EXPECT_EQ(parse_process_status("Name:\tkthreadd\n"), std::nullopt);
  EXPECT_EQ(parse_process_status(""), std::nullopt);
}

TEST(TargetUrl, GivesHostPortAuthorityAndPath) {
  EXPECT_EQ(parse_target_url("http://localhost:8080/a?b#c"),
            (TargetUrl{"localhost", 8080, "localhost:8080", "/a?b"}));
  EXPECT_EQ(parse_target_url("http://h"), (TargetUrl{"h", 80, "h", "/"}));
  EXPECT_EQ(parse_target_url("http://[::1]:81?q"), (TargetUrl{"::1", 81, "[::1]:81", "/?q"}));
  EXPECT_EQ(parse_target_url("http://[::1]"), (TargetUrl{"::1", 80, "[::1]", "/"}));
  EXPECT_EQ(parse_target_url("https://h/x"), (TargetUrl{"h", 443, "h", "/x", true}));
  EXPECT_EQ(parse_target_url("https://h:80"), (TargetUrl{"h", 80, "h:80", "/", true}));
}

TEST(TargetUrl, SaysWhatIsWrong) {
  EXPECT_EQ(parse_target_url("a").error(), "does not begin with http:// or https://");
  EXPECT_EQ(parse_target_url("https:///x").error(), "has no host");
  EXPECT_EQ(parse_target_url("http:///x").error(), "has no host");
  EXPECT_EQ(parse_target_url("http://a:0").error(), "has no port from 1 to 65535 after its colon");
  EXPECT_EQ(parse_target_url("http://a:x").error(), "has no port from 1 to 65535 after its colon");
  EXPECT_EQ(parse_target_url("http://[::1").error(), "has a `[` without its `]`");
  EXPECT_EQ(parse_target_url("http://u@h").error(), "has a user name");
  EXPECT_EQ(parse_target_url("http://a/ b").error(),
            "has a character that must be percent-encoded");
}

}  // namespace
}  // namespace perch::load
