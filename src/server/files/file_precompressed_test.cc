// Compressed siblings in place of files.
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

using std::chrono::seconds;
using enum http::ContentCoding;
namespace fs = std::filesystem;

class PrecompressedTest : public FileCacheTest {
 protected:
  PrecompressedTest() {
    options_.precompressed = {kBrotli, kZstd, kGzip};
    write_file(directory_ / "a.js", "plain");
    write_file(directory_ / "a.js.gz", "gzipped");
    write_file(directory_ / "a.js.br", "brotli");
  }
  // "br brotli": the coding and the body.
  std::string shown(std::string_view target, std::string_view accepted) {
    http::Response response = ask(target, Method::kGet, {{"accept-encoding", accepted}});
    return field_of(response, "content-encoding") + " " + body_of(response).value_or("failed");
  }
};

TEST_F(PrecompressedTest, AcceptEncodingDecides) {
  EXPECT_EQ(shown("/a.js", "gzip, br"), "br brotli");
  EXPECT_EQ(shown("/a.js", "gzip"), "gzip gzipped");
  EXPECT_EQ(shown("/a.js", "gzip, br;q=0.5"), "gzip gzipped");
  EXPECT_EQ(shown("/a.js", "zstd"), " plain");
  EXPECT_EQ(shown("/a.js", "*"), "br brotli");
  EXPECT_EQ(shown("/a.js", "*;q=0"), " plain");
  EXPECT_EQ(shown("/a.js", "identity, gzip;q=0.5"), " plain");
  EXPECT_EQ(shown("/a.js", ""), " plain");
  EXPECT_EQ(body("/a.js"), "plain");
  options_.precompressed = {kGzip, kBrotli};
  reopen();
  EXPECT_EQ(shown("/a.js", "br, gzip"), "gzip gzipped");
}

// Content-Encoding would be taken for that of the multipart body.
TEST_F(PrecompressedTest, SeveralRangesAreOfPlainFormsOnly) {
  const auto status_of = [&](std::string_view coding) {
    return status("/a.js", Method::kGet, {{"accept-encoding", coding}, {"range", "bytes=0-0,3-3"}});
  };
  EXPECT_EQ(status_of("br"), 200);
  EXPECT_EQ(status_of("identity"), 206);
}

TEST_F(PrecompressedTest, HeadsOfAllForms) {
  const std::string etag = field("/a.js", "etag", {{"accept-encoding", "br"}});
  http::Response coded = ask("/a.js", Method::kGet, {{"accept-encoding", "br"}});
  EXPECT_EQ(shown_head(coded),
            "200 content-type=text/javascript; charset=utf-8; content-length=6; etag=" + etag +
                "; last-modified=Sun, 06 Nov 1994 08:49:37 GMT; accept-ranges=bytes; "
                "content-encoding=br; vary=accept-encoding");
  http::Response plain = ask("/a.js");
  EXPECT_EQ(field_of(plain, "vary"), "accept-encoding");
  EXPECT_EQ(field_of(plain, "content-encoding"), "");
  EXPECT_NE(field_of(plain, "etag"), etag);
  EXPECT_NE(field("/a.js", "etag", {{"accept-encoding", "gzip"}}), etag);
  http::Response head = ask("/a.js", Method::kHead, {{"accept-encoding", "br"}});
  EXPECT_EQ(shown_head(head), shown_head(coded));
}

TEST_F(PrecompressedTest, EachFormHasConditionsAndRangesOfItsOwn) {
  const std::string etag = field("/a.js", "etag", {{"accept-encoding", "br"}});
  http::Response current =
      ask("/a.js", Method::kGet, {{"accept-encoding", "br"}, {"if-none-match", etag}});
  EXPECT_EQ(shown_head(current), "304 etag=" + etag + "; vary=accept-encoding");
  EXPECT_EQ(status("/a.js", Method::kGet, {{"if-none-match", etag}}), 200);
  http::Response part =
      ask("/a.js", Method::kGet, {{"accept-encoding", "br"}, {"range", "bytes=0-2"}});
  EXPECT_EQ(field_of(part, "content-range"), "bytes 0-2/6");
  EXPECT_EQ(field_of(part, "content-encoding"), "br");
  EXPECT_EQ(body_of(part), "bro");
  EXPECT_EQ(status("/a.js", Method::kGet,
                   {{"accept-encoding", "gzip"}, {"range", "bytes=0-2"}, {"if-range", etag}}),
            200);
}

TEST_F(PrecompressedTest, AFileWithoutSiblingsIsNotNegotiated) {
  write_file(directory_ / "b.js", "alone");
  EXPECT_EQ(field("/b.js", "vary", {{"accept-encoding", "br"}}), "");
  EXPECT_EQ(shown("/b.js", "br"), " alone");
  EXPECT_EQ(status("/c.js", Method::kGet, {{"accept-encoding", "br"}}), 404);
  write_file(directory_ / "c.js.br", "orphan");
  pass(seconds(1));
  EXPECT_EQ(status("/c.js", Method::kGet, {{"accept-encoding", "br"}}), 404);
}

TEST_F(PrecompressedTest, OffByDefault) {
  options_.precompressed = {};
  EXPECT_EQ(shown("/a.js", "br, gzip"), " plain");
  EXPECT_EQ(field("/a.js", "vary"), "");
}

TEST_F(PrecompressedTest, ASiblingIsSentAsItselfToo) {
  EXPECT_EQ(field("/a.js.gz", "content-type"), "application/gzip");
  EXPECT_EQ(shown("/a.js.gz", "gzip"), " gzipped");
}

TEST_F(PrecompressedTest, AnOlderSiblingIsNotSent) {
  write_file(directory_ / "a.js", "newer", kFileTime + 1);
  EXPECT_EQ(shown("/a.js", "br, gzip"), " newer");
  set_time(directory_ / "a.js.gz", kFileTime + 1);
  pass(seconds(1));
  EXPECT_EQ(shown("/a.js", "br, gzip"), "gzip gzipped");
}

TEST_F(PrecompressedTest, SiblingsComeChangeAndGo) {
  fs::remove(directory_ / "a.js.br");
  EXPECT_EQ(shown("/a.js", "br"), " plain");
  write_file(directory_ / "a.js.br", "first");
  pass(seconds(1));
  EXPECT_EQ(shown("/a.js", "br"), "br first");
  write_file(directory_ / "a.js.br", "second", kFileTime + 1);
  pass(seconds(1));
  EXPECT_EQ(shown("/a.js", "br"), "br second");
  fs::remove(directory_ / "a.js.br");
  pass(seconds(1));
  EXPECT_EQ(shown("/a.js", "br"), " plain");
}

TEST_F(PrecompressedTest, ASiblingMustBeAFileBelowTheRoot) {
  TemporaryDirectory outside;
  write_file(outside / "secret", "secret");
  fs::remove(directory_ / "a.js.br");
  fs::remove(directory_ / "a.js.gz");
  fs::create_symlink(outside / "secret", directory_ / "a.js.gz");
  fs::create_directories(directory_ / "a.js.br");
  ASSERT_EQ(::mkfifo((directory_ / "a.js.zst").c_str(), 0644), 0);
  EXPECT_EQ(shown("/a.js", "br, gzip, zstd"), " plain");
  // A link that stays below is followed as any other.
  write_file(directory_ / "store/x", "inside");
  fs::remove(directory_ / "a.js.gz");
  fs::create_symlink("store/x", directory_ / "a.js.gz");
  pass(seconds(1));
  EXPECT_EQ(shown("/a.js", "gzip"), "gzip inside");
}

TEST_F(PrecompressedTest, LargeFormsAreStreamedAndCounted) {
  write_file(directory_ / "large.js", std::string(300'000, 'x'));
  write_file(directory_ / "large.js.gz", std::string(100'000, 'g'));
  write_file(directory_ / "large.js.br", std::string(50'000, 'b'));
  EXPECT_EQ(shown("/large.js", "gzip"), "gzip " + std::string(100'000, 'g'));
  EXPECT_EQ(shown("/large.js", "br"), "br " + std::string(50'000, 'b'));
  EXPECT_EQ(body("/large.js"), std::string(300'000, 'x'));
  EXPECT_EQ(cache().table().open_files(), 2u);
  EXPECT_EQ(cache().table().body_bytes(), 50'000u);
  write_file(directory_ / "large.js.gz", std::string(100'000, 'n'), kFileTime + 1);
  EXPECT_EQ(shown("/large.js", "gzip"), "gzip " + std::string(100'000, 'n'));  // at once
  options_.open_files = 1;
  reopen();
  EXPECT_EQ(shown("/large.js", "gzip"), "gzip " + std::string(100'000, 'n'));
  EXPECT_EQ(cache().table().open_files(), 0u);
  EXPECT_EQ(cache().table().entries(), 0u);
}

TEST_F(PrecompressedTest, TheIndexHasSiblingsToo) {
  write_file(directory_ / "index.html", "plain");
  write_file(directory_ / "index.html.gz", "gzipped");
  EXPECT_EQ(shown("/", "gzip"), "gzip gzipped");
  EXPECT_EQ(field("/", "content-type", {{"accept-encoding", "gzip"}}), "text/html; charset=utf-8");
}

}  // namespace
}  // namespace perch::server
