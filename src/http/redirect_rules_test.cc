#include "perch/http/redirect_rules.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

std::string found(const std::vector<RedirectRule>& rules, std::string_view path,
                  std::string_view query = {}) {
  const auto redirection = find_redirect(rules, path, query);
  if (!redirection) return "none";
  return std::to_string(redirection->status) + " " + redirection->location;
}

TEST(RedirectRules, ExactAndBelow) {
  const std::vector<RedirectRule> rules = {
      {.from = "/old", .to = "/new", .status = 301},
      {.from = "/a b", .to = "/c", .status = 302},
      {.from = "/blog/2024/*", .to = "/archive", .status = 307},
      {.from = "/blog/*", .to = "https://blog.example.com/*"},
      {.from = "/moved/*", .to = "/*"},
  };
  EXPECT_EQ(found(rules, "/old"), "301 /new");
  EXPECT_EQ(found(rules, "/old/"), "none");
  EXPECT_EQ(found(rules, "/old/x"), "none");
  EXPECT_EQ(found(rules, "/oldest"), "none");
  EXPECT_EQ(found(rules, "/a b"), "302 /c");
  EXPECT_EQ(found(rules, "/blog/2024/x"), "307 /archive");
  EXPECT_EQ(found(rules, "/blog/x/y"), "308 https://blog.example.com/x/y");
  EXPECT_EQ(found(rules, "/blog/"), "308 https://blog.example.com/");
  EXPECT_EQ(found(rules, "/blog"), "none");
  EXPECT_EQ(found(rules, "/moved/a b"), "308 /a%20b");
}

TEST(RedirectRules, TheQueryIsKept) {
  const std::vector<RedirectRule> rules = {
      {.from = "/a", .to = "/b"}, {.from = "/c", .to = "/d?x=1"}, {.from = "/e/*", .to = "/f/*"}};
  EXPECT_EQ(found(rules, "/a", "q=1&r"), "308 /b?q=1&r");
  EXPECT_EQ(found(rules, "/c", "q=1"), "308 /d?x=1");
  EXPECT_EQ(found(rules, "/e/g", "q"), "308 /f/g?q");
}

TEST(RedirectRules, NoPathLeadsToAnotherHost) {
  const std::vector<RedirectRule> rules = {{.from = "/go/*", .to = "/*"}};
  EXPECT_EQ(found(rules, "/go/\\evil.example"), "308 /%5Cevil.example");
  EXPECT_EQ(found(rules, "/go/a\r\nset-cookie: b"), "308 /a%0D%0Aset-cookie:%20b");
  EXPECT_EQ(found(rules, "/go/https://x"), "308 /https://x");  // a path as any other
}

TEST(RedirectRules, SaysWhatIsWrong) {
  const auto mistake = [](RedirectRule rule) { return redirect_mistake(rule).value_or("none"); };
  EXPECT_EQ(mistake({.from = "/a", .to = "/b"}), "none");
  EXPECT_EQ(mistake({.from = "/a/*", .to = "/b/*"}), "none");
  EXPECT_EQ(mistake({.from = "/*", .to = "https://example.com/*", .status = 301}), "none");
  EXPECT_EQ(mistake({.from = "/a", .to = "http://example.com"}), "none");
  EXPECT_EQ(mistake({.from = "a", .to = "/b"}), "from \"a\" does not begin with \"/\"");
  for (const char* from : {"/a*", "/*/b", "/a/*/*", "/a/**"}) {
    EXPECT_EQ(mistake({.from = from, .to = "/x"}),
              std::string("from \"") + from + "\" has a \"*\" that is not its last segment");
  }
  for (const char* from : {"/a//b", "/a/../b", "//*"}) {
    EXPECT_EQ(mistake({.from = from, .to = "/x"}),
              std::string("from \"") + from + "\" is a path that no request has");
  }
  for (const char* to : {"", "b", "//evil.example", "//*", "javascript:alert(1)", "ftp://x/",
                         "https://", "https:///x", "https://*.example.com/"}) {
    EXPECT_EQ(mistake({.from = "/a/*", .to = to}),
              std::string("to \"") + to + "\" is neither a path nor an http or https URL");
  }
  for (const char* to : {"/a b", "/a\r\nx: y", "/\xc3\xa9", "/a\\b"}) {
    EXPECT_EQ(mistake({.from = "/x", .to = to}),
              std::string("to \"") + to + "\" has a character that must be percent-encoded");
  }
  EXPECT_EQ(mistake({.from = "/a/*", .to = "/b*"}),
            "to \"/b*\" has a \"*\" that is not its last segment");
  EXPECT_EQ(mistake({.from = "/a", .to = "/b/*"}),
            "to \"/b/*\" has a \"*\", but from \"/a\" has none");
  for (const auto& [from, to] : {std::pair{"/a", "/a"},
                                 {"/a", "/a?x"},
                                 {"/*", "/down.html"},
                                 {"/a/*", "/a/b/*"},
                                 {"/a b", "/a%20b"}}) {
    EXPECT_EQ(mistake({.from = from, .to = to}),
              std::string("to \"") + to + "\" is redirected by the same rule again");
  }
  EXPECT_EQ(mistake({.from = "/a", .to = "/b", .status = 303}),
            "status 303 is not one of 301, 302, 307, 308");
}

}  // namespace
}  // namespace perch::http
