// Response fields by path, Strict-Transport-Security, and redirects.
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

class FileRulesTest : public FileCacheTest {
 protected:
  FileRulesTest() {
    write_file(directory_ / "index.html", "home");
    write_file(directory_ / "assets/app.js", "js");
    std::filesystem::create_directories(directory_ / "d");
  }
  http::Response ask_https(std::string_view target, Method method = Method::kGet,
                           const FieldLines& fields = {}) {
    return cache().answer(make_request(target, method, fields, "https"), now_);
  }
};

TEST_F(FileRulesTest, CacheControlByPath) {
  options_.field_rules = {
      {.path = "*", .set = {{"cache-control", "no-cache"}}},
      {.path = "/assets/*", .set = {{"cache-control", "max-age=31536000, immutable"}}},
  };
  EXPECT_EQ(field("/assets/app.js", "cache-control"), "max-age=31536000, immutable");
  EXPECT_EQ(field("/", "cache-control"), "no-cache");
  EXPECT_EQ(field("/assets/gone.js", "cache-control"), "");
  EXPECT_EQ(field("/d", "cache-control"), "");
}

TEST_F(FileRulesTest, ARuleForAFileHoldsWhereADirectoryLeadsToIt) {
  options_.field_rules = {{.path = "*.html", .set = {{"cache-control", "no-cache"}}},
                          {.path = "/", .add = {{"link", "</assets/app.js>; rel=preload"}}}};
  EXPECT_EQ(field("/", "cache-control"), "no-cache");
  EXPECT_EQ(field("/", "link"), "</assets/app.js>; rel=preload");
  EXPECT_EQ(field("/index.html", "cache-control"), "no-cache");
  EXPECT_EQ(field("/index.html", "link"), "");
}

TEST_F(FileRulesTest, NotModifiedHasTheFieldsThatACacheKeeps) {
  options_.field_rules = {{.path = "*",
                           .set = {{"cache-control", "max-age=60"},
                                   {"content-type", "text/special"},
                                   {"content-language", "de"},
                                   {"x-frame-options", "DENY"}}}};
  const std::string etag = field("/", "etag");
  EXPECT_EQ(field("/", "content-type"), "text/special");
  EXPECT_EQ(shown_head(ask("/", Method::kGet, {{"if-none-match", etag}})),
            "304 etag=" + etag + "; cache-control=max-age=60; x-frame-options=DENY");
}

TEST_F(FileRulesTest, SomeHoldForErrorsAndRedirectsToo) {
  options_.field_rules = {
      {.path = "*", .set = {{"x-content-type-options", "nosniff"}}, .always = true},
      {.path = "/assets/*", .set = {{"x-assets", "yes"}}, .always = true},
      {.path = "*", .set = {{"cache-control", "no-cache"}}},
  };
  options_.redirects = {{.from = "/old", .to = "/new"}};
  for (const char* target : {"/", "/missing", "/d", "/old", "/%zz"}) {
    EXPECT_EQ(field(target, "x-content-type-options"), "nosniff") << target;
    EXPECT_EQ(field(target, "x-assets"), "") << target;
    EXPECT_EQ(field(target, "cache-control"), target == std::string("/") ? "no-cache" : "")
        << target;
  }
  EXPECT_EQ(field("/assets/missing", "x-assets"), "yes");
  http::Response missing = ask("/missing");
  EXPECT_EQ(shown_head(missing),
            "404 content-type=text/plain; charset=utf-8; content-length=14; "
            "x-content-type-options=nosniff");
  EXPECT_EQ(body_of(missing), "404 Not Found\n");
  http::Response method = ask("/", Method::kPost);
  EXPECT_EQ(field_of(method, "x-content-type-options"), "nosniff");
  EXPECT_EQ(field_of(method, "allow"), "GET, HEAD");
}

TEST_F(FileRulesTest, StrictTransportSecurityOverHttpsAlone) {
  options_.hsts = "max-age=60";
  options_.redirects = {{.from = "/old", .to = "/new"}};
  const std::string etag = field("/", "etag");
  constexpr const char* kName = "strict-transport-security";
  for (const char* target : {"/", "/assets/app.js", "/missing", "/d", "/d?q", "/old", "/%zz"}) {
    EXPECT_EQ(field(target, kName), "") << target;
    EXPECT_EQ(field_of(ask_https(target), kName), "max-age=60") << target;
    EXPECT_EQ(field_of(ask_https(target, Method::kHead), kName), "max-age=60") << target;
  }
  EXPECT_EQ(field_of(ask_https("/", Method::kGet, {{"if-none-match", etag}}), kName), "max-age=60");
  EXPECT_EQ(field_of(ask_https("/", Method::kGet, {{"range", "bytes=0-1"}}), kName), "max-age=60");
  EXPECT_EQ(field_of(ask_https("/", Method::kGet, {{"range", "bytes=99-"}}), kName), "max-age=60");
  EXPECT_EQ(field_of(ask_https("/", Method::kPost), kName), "max-age=60");
  EXPECT_EQ(ask("/").prepared(), ask("/").prepared());
  EXPECT_EQ(ask_https("/").prepared(), ask_https("/").prepared());
}

TEST_F(FileRulesTest, RedirectsComeBeforeFiles) {
  options_.redirects = {{.from = "/assets/*", .to = "https://cdn.example.com/*", .status = 302},
                        {.from = "/old", .to = "/", .status = 301}};
  EXPECT_EQ(shown_head(ask("/old")), "301 location=/; content-length=0");
  EXPECT_EQ(shown_head(ask("/assets/app.js?v=1")),
            "302 location=https://cdn.example.com/app.js?v=1; content-length=0");
  EXPECT_EQ(shown_head(ask("/x/../%6fld")), "301 location=/; content-length=0");
  EXPECT_EQ(status("/old", Method::kPost), 301);
  EXPECT_EQ(status("/older", Method::kPost), 405);
  EXPECT_EQ(status("/"), 200);
  EXPECT_EQ(field("/old?a\tb", "location"), "/");
}

// The usual rule for a site that is also reached in clear: it holds for those who are not there
// yet.
TEST_F(FileRulesTest, ARedirectToTheRequestsOwnUrlServesIt) {
  options_.redirects = {{.from = "/*", .to = "https://perch.test/*"}};
  const auto answer = [&](std::string_view scheme, std::string_view authority) {
    http::RequestHeadPtr head = http::make_request_head();
    head->scheme = scheme;
    head->authority = authority;
    head->method = Method::kGet;
    head->target = "/?a=b";
    return cache().answer(http::Request(std::move(head)), now_);
  };
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(answer("https", "perch.test").status(), 200);
    EXPECT_EQ(shown_head(answer("http", "perch.test")),
              "308 location=https://perch.test/?a=b; content-length=0");
    EXPECT_EQ(answer("https", "www.perch.test").status(), 308);
  }
}

TEST_F(FileRulesTest, RedirectsFillNoCache) {
  options_.redirects = {{.from = "/old/*", .to = "/new/*"}};
  for (int i = 0; i < 100; ++i) EXPECT_EQ(status("/old/" + std::to_string(i)), 308);
  EXPECT_EQ(cache().table().entries(), 0u);
}

}  // namespace
}  // namespace perch::server
