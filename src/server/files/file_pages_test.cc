// Error pages and the fallback of single-page applications.
#include "server/files/file_pages.h"

#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

using std::chrono::seconds;
namespace fs = std::filesystem;

class ErrorPagesTest : public FileCacheTest {
 protected:
  ErrorPagesTest() {
    options_.error_pages = {{404, "/404.html"}, {405, "/errors/405.txt"}, {416, "/404.html"}};
    write_file(directory_ / "404.html", "<p>gone</p>");
    write_file(directory_ / "errors/405.txt", "no");
    write_file(directory_ / "a", "hello");
  }
};

TEST_F(ErrorPagesTest, APageComesWithItsStatusAndWithoutValidators) {
  http::Response missing = ask("/missing");
  EXPECT_EQ(shown_head(missing), "404 content-type=text/html; charset=utf-8; content-length=11");
  EXPECT_EQ(body_of(missing), "<p>gone</p>");
  http::Response head = ask("/missing", Method::kHead);
  EXPECT_EQ(shown_head(head), shown_head(missing));
  EXPECT_EQ(body_of(head), "");
  http::Response method = ask("/a", Method::kPost);
  EXPECT_EQ(shown_head(method),
            "405 allow=GET, HEAD; content-type=text/plain; charset=utf-8; content-length=2");
  EXPECT_EQ(body_of(method), "no");
  http::Response range = ask("/a", Method::kGet, {{"range", "bytes=9-"}});
  EXPECT_EQ(shown_head(range),
            "416 content-type=text/html; charset=utf-8; content-length=11; "
            "content-range=bytes */5");
  EXPECT_EQ(body_of(range), "<p>gone</p>");
  EXPECT_EQ(ask("/%zz").status(), 400);
}

TEST_F(ErrorPagesTest, ConditionsAndRangesOfTheRequestAreNotAboutThePage) {
  const std::string etag = field("/404.html", "etag");
  EXPECT_EQ(status("/missing", Method::kGet, {{"if-none-match", etag}}), 404);
  EXPECT_EQ(status("/missing", Method::kGet, {{"if-none-match", "*"}}), 404);
  EXPECT_EQ(body("/missing", {{"range", "bytes=0-1"}}), "<p>gone</p>");
}

TEST_F(ErrorPagesTest, ThePageItselfIsAFileLikeAnyOther) {
  EXPECT_EQ(status("/404.html"), 200);
  EXPECT_NE(field("/404.html", "etag"), "");
}

TEST_F(ErrorPagesTest, AMissingPageIsNoLoop) {
  fs::remove(directory_ / "404.html");
  EXPECT_EQ(body("/missing"), "404 Not Found\n");
  EXPECT_EQ(body("/404.html"), "404 Not Found\n");
  fs::create_directories(directory_ / "404.html");
  pass(seconds(1));
  EXPECT_EQ(body("/missing"), "404 Not Found\n");
  EXPECT_EQ(status("/404.html"), 301);
  fs::remove(directory_ / "404.html");
  fs::create_symlink("404.html", directory_ / "404.html");
  pass(seconds(1));
  EXPECT_EQ(body("/missing"), "404 Not Found\n");
}

TEST_F(ErrorPagesTest, APageOutsideTheRootIsNotSent) {
  TemporaryDirectory outside;
  write_file(outside / "secret", "secret");
  fs::remove(directory_ / "404.html");
  fs::create_symlink(outside / "secret", directory_ / "404.html");
  EXPECT_EQ(body("/missing"), "404 Not Found\n");
}

TEST_F(ErrorPagesTest, AChangedPageIsSeenAfterASecond) {
  EXPECT_EQ(body("/missing"), "<p>gone</p>");
  write_file(directory_ / "404.html", "<p>really</p>", kFileTime + 1);
  EXPECT_EQ(body("/missing"), "<p>gone</p>");
  pass(seconds(1));
  http::Response after = ask("/missing");
  EXPECT_EQ(field_of(after, "content-length"), "13");
  EXPECT_EQ(body_of(after), "<p>really</p>");
}

TEST_F(ErrorPagesTest, AHiddenAndALargePage) {
  write_file(directory_ / ".errors/404.html", std::string(100'000, 'x'));
  options_.error_pages = {{404, "/.errors/404.html"}};
  EXPECT_EQ(body("/missing"), std::string(100'000, 'x'));
  EXPECT_EQ(status("/.errors/404.html"), 404);
  write_file(directory_ / ".errors/404.html", std::string(100'001, 'y'), kFileTime + 1);
  EXPECT_EQ(body("/missing"), std::string(100'001, 'y'));
}

TEST_F(ErrorPagesTest, AFloodOfOtherPathsDoesNotEvictIt) {
  options_.cached_entries = 2;
  const std::uint64_t id = ask("/missing").prepared()->id();
  for (int i = 0; i < 20; ++i) {
    write_file(directory_ / std::to_string(i), "x");
    EXPECT_EQ(status("/" + std::to_string(i)), 200);
    EXPECT_EQ(ask("/missing" + std::to_string(i)).prepared()->id(), id);
  }
}

class FallbackTest : public FileCacheTest {
 protected:
  FallbackTest() {
    options_.fallback = "/index.html";
    write_file(directory_ / "index.html", "app");
    write_file(directory_ / "real", "file");
  }
  static constexpr std::string_view kBrowser = "text/html,application/xhtml+xml,*/*;q=0.8";
};

TEST_F(FallbackTest, NavigationGetsTheApplication) {
  http::Response response = ask("/users/7", Method::kGet, {{"accept", kBrowser}});
  EXPECT_EQ(response.status(), 200);
  EXPECT_EQ(field_of(response, "content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(field_of(response, "vary"), "accept");
  EXPECT_EQ(body_of(response), "app");
  EXPECT_EQ(status("/users/", Method::kHead, {{"accept", "Text/HTML;q=0.9"}}), 200);
  EXPECT_EQ(body("/real", {{"accept", kBrowser}}), "file");
}

TEST_F(FallbackTest, OtherRequestsAre404) {
  EXPECT_EQ(status("/users/7"), 404);
  for (const char* accept : {"*/*", "application/json", "text/*", "xtext/html", ""}) {
    EXPECT_EQ(status("/users/7", Method::kGet, {{"accept", accept}}), 404) << accept;
  }
  for (const char* target : {"/app.js", "/a/b.css", "/.git/config", "/a/.env"}) {
    EXPECT_EQ(status(target, Method::kGet, {{"accept", kBrowser}}), 404) << target;
  }
  EXPECT_EQ(status("/users/7", Method::kPost, {{"accept", kBrowser}}), 405);
  EXPECT_EQ(status("/%zz", Method::kGet, {{"accept", kBrowser}}), 400);
}

TEST_F(FallbackTest, TheApplicationHasConditionsRangesAndForms) {
  write_file(directory_ / "index.html.gz", "packed");
  options_.precompressed = {http::ContentCoding::kGzip};
  const FieldLines browser = {{"accept", kBrowser}, {"accept-encoding", "gzip"}};
  http::Response response = ask("/users/7", Method::kGet, browser);
  EXPECT_EQ(field_of(response, "content-encoding"), "gzip");
  EXPECT_EQ(field_of(response, "vary"), "accept, accept-encoding");
  EXPECT_EQ(body_of(response), "packed");
  const std::string etag = field_of(response, "etag");
  EXPECT_EQ(status("/other", Method::kGet,
                   {{"accept", kBrowser}, {"accept-encoding", "gzip"}, {"if-none-match", etag}}),
            304);
}

TEST_F(FallbackTest, CachesAreToldWhatItDependsOn) {
  EXPECT_EQ(field("/some/page", "vary", {{"accept", "text/html"}}), "accept");
  EXPECT_EQ(field("/some/page", "vary", {{"accept", "*/*"}}), "accept");
}

TEST_F(FallbackTest, WithoutTheFileItIs404) {
  fs::remove(directory_ / "index.html");
  EXPECT_EQ(status("/users/7", Method::kGet, {{"accept", kBrowser}}), 404);
  write_file(directory_ / "index.html", "back", kFileTime + 1);
  pass(seconds(1));
  EXPECT_EQ(body("/users/7", {{"accept", kBrowser}}), "back");
}

TEST_F(FallbackTest, TheErrorPageIsForTheRest) {
  write_file(directory_ / "404.html", "gone");
  options_.error_pages = {{404, "/404.html"}};
  EXPECT_EQ(body("/users/7", {{"accept", kBrowser}}), "app");
  EXPECT_EQ(body("/app.js", {{"accept", kBrowser}}), "gone");
}

}  // namespace
}  // namespace perch::server
