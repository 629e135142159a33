// Parts of files: 206, 416, multipart, If-Range.
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

constexpr std::string_view kTime = "Sun, 06 Nov 1994 08:49:37 GMT";

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + i / 257);
  return text;
}

class FileRangeTest : public FileCacheTest {
 protected:
  FileRangeTest() {
    write_file(directory_ / "small.txt", "0123456789");
    write_file(directory_ / "large.bin", large_);
    write_file(directory_ / "empty", "");
  }

  http::Response part(std::string_view target, std::string_view range, FieldLines more = {}) {
    more.emplace_back("range", range);
    return ask(target, Method::kGet, more);
  }
  // "206 bytes 0-4/10 01234"
  std::string shown(std::string_view target, std::string_view range, const FieldLines& more = {}) {
    http::Response response = part(target, range, more);
    std::string text = std::to_string(response.status());
    const std::string content_range = field_of(response, "content-range");
    if (!content_range.empty()) text.append(" ").append(content_range);
    return text.append(" ").append(body_of(response).value_or("failed"));
  }

  const std::string large_ = pattern(200'000);
};

TEST_F(FileRangeTest, OneRange) {
  http::Response response = part("/small.txt", "bytes=2-4");
  EXPECT_EQ(shown_head(response),
            "206 content-type=text/plain; charset=utf-8; content-length=3; etag=" +
                field("/small.txt", "etag") +
                "; last-modified=Sun, 06 Nov 1994 08:49:37 GMT; accept-ranges=bytes; "
                "content-range=bytes 2-4/10");
  EXPECT_EQ(body_of(response), "234");
  EXPECT_EQ(shown("/small.txt", "bytes=5-"), "206 bytes 5-9/10 56789");
  EXPECT_EQ(shown("/small.txt", "bytes=-3"), "206 bytes 7-9/10 789");
  EXPECT_EQ(shown("/small.txt", "bytes=0-"), "206 bytes 0-9/10 0123456789");
  EXPECT_EQ(shown("/small.txt", "bytes=8-99999999999999999999"), "206 bytes 8-9/10 89");
}

TEST_F(FileRangeTest, OneRangeOfALargeFileIsStreamed) {
  for (const auto& [first, last] :
       {std::pair{0, 0}, {199'999, 199'999}, {10, 150'000}, {0, 199'999}}) {
    const std::string range = std::to_string(first) + "-" + std::to_string(last);
    http::Response response = part("/large.bin", "bytes=" + range);
    const auto size = static_cast<std::size_t>(last - first + 1);
    EXPECT_EQ(field_of(response, "content-length"), std::to_string(size));
    EXPECT_EQ(field_of(response, "content-range"), "bytes " + range + "/200000");
    EXPECT_EQ(std::get<std::unique_ptr<http::BodySource>>(response.body())->size(), size);
    EXPECT_EQ(body_of(response), large_.substr(static_cast<std::size_t>(first), size));
  }
}

TEST_F(FileRangeTest, WhatIsBeyondTheEndIs416) {
  for (const char* target : {"/small.txt", "/large.bin"}) {
    const std::string size = target == std::string("/small.txt") ? "10" : "200000";
    http::Response response = part(target, "bytes=200000-");
    EXPECT_EQ(shown_head(response),
              "416 content-type=text/plain; charset=utf-8; content-length=26; "
              "content-range=bytes */" +
                  size);
    EXPECT_EQ(body_of(response), "416 Range Not Satisfiable\n");
    EXPECT_EQ(part(target, "bytes=-0").status(), 416);
    EXPECT_EQ(part(target, "bytes=200000-300000,999999-").status(), 416);
  }
}

TEST_F(FileRangeTest, WhatIsNoRangeIsTheWholeFile) {
  for (const char* range : {"bytes=5-2", "bytes=x", "lines=1-2", "bytes=", "", "bytes=0-1,x"}) {
    EXPECT_EQ(shown("/small.txt", range), "200 0123456789") << range;
  }
  EXPECT_EQ(shown("/empty", "bytes=0-"), "200 ");
  EXPECT_EQ(shown("/empty", "bytes=-1"), "200 ");
  EXPECT_EQ(
      ask("/small.txt", Method::kGet, {{"range", "bytes=0-1"}, {"range", "bytes=2-3"}}).status(),
      200);
}

// RFC 9110 section 14.2: ranges are for GET.
TEST_F(FileRangeTest, HeadHasTheHeadOfTheWhole) {
  http::Response response = ask("/small.txt", Method::kHead, {{"range", "bytes=0-1"}});
  EXPECT_EQ(shown_head(response), shown_head(ask("/small.txt")));
  EXPECT_EQ(ask("/small.txt", Method::kHead, {{"range", "bytes=99-"}}).status(), 200);
}

TEST_F(FileRangeTest, WhatIsNotThereHasNoRanges) {
  EXPECT_EQ(part("/missing", "bytes=0-1").status(), 404);
}

TEST_F(FileRangeTest, SeveralRangesAreMultipart) {
  http::Response response = part("/small.txt", "bytes=0-1,4-5,-1");
  EXPECT_EQ(response.status(), 206);
  EXPECT_EQ(field_of(response, "content-range"), "");
  EXPECT_EQ(field_of(response, "etag"), field("/small.txt", "etag"));
  const std::string type = field_of(response, "content-type");
  const std::string before = "multipart/byteranges; boundary=";
  ASSERT_EQ(type.substr(0, before.size()), before);
  const std::string boundary = type.substr(before.size());
  EXPECT_EQ(boundary.size(), 32u);
  const std::string type_line = "\r\ncontent-type: text/plain; charset=utf-8\r\n";
  const std::string body = body_of(response).value();
  EXPECT_EQ(body, "--" + boundary + type_line + "content-range: bytes 0-1/10\r\n\r\n01" + "\r\n--" +
                      boundary + type_line + "content-range: bytes 4-5/10\r\n\r\n45" + "\r\n--" +
                      boundary + type_line + "content-range: bytes 9-9/10\r\n\r\n9" + "\r\n--" +
                      boundary + "--\r\n");
  EXPECT_EQ(field_of(response, "content-length"), std::to_string(body.size()));
  http::Response again = part("/small.txt", "bytes=0-1,4-5,-1");
  EXPECT_NE(field_of(again, "content-type"), type);
}

TEST_F(FileRangeTest, WhatOverlapsOrTouchesIsOneRange) {
  EXPECT_EQ(shown("/small.txt", "bytes=0-4,3-6"), "206 bytes 0-6/10 0123456");
  EXPECT_EQ(shown("/small.txt", "bytes=3-4,0-2"), "206 bytes 0-4/10 01234");
  EXPECT_EQ(shown("/small.txt", "bytes=0-,1-,2-,3-,0-9,-10"), "206 bytes 0-9/10 0123456789");
}

TEST_F(FileRangeTest, MoreThanSixteenRangesAreTheWholeFile) {
  std::string range = "bytes=0-0";
  for (int i = 1; i < 16; ++i) range += "," + std::to_string(i * 3) + "-" + std::to_string(i * 3);
  EXPECT_EQ(part("/large.bin", range).status(), 206);
  http::Response flood = part("/large.bin", range + ",100-100");
  EXPECT_EQ(flood.status(), 200);
  EXPECT_EQ(field_of(flood, "content-length"), "200000");
  EXPECT_EQ(body_of(flood), large_);
}

TEST_F(FileRangeTest, PartsOfALargeFileAreReadInBoundedMemory) {
  http::Response response = part("/large.bin", "bytes=0-99999,150000-199999,120000-120099");
  const std::string boundary = field_of(response, "content-type").substr(31);
  auto& source = std::get<std::unique_ptr<http::BodySource>>(response.body());
  std::string all;
  for (bool last = false; !last;) {
    const http::PullResult pulled = source->pull(1 << 20);
    ASSERT_EQ(pulled.kind, http::PullResult::Kind::kData);
    EXPECT_LE(pulled.data.size(), 64u << 10);
    EXPECT_LE(cache().buffers().loaned_bytes(), 64u << 10);
    all.append(pulled.data.view());
    last = pulled.last;
  }
  EXPECT_EQ(source->pull(1).kind, http::PullResult::Kind::kEnd);
  EXPECT_EQ(std::to_string(all.size()), field_of(response, "content-length"));
  const auto head = [&](std::string_view range) {
    return "--" + boundary + "\r\ncontent-type: application/octet-stream\r\ncontent-range: bytes " +
           std::string(range) + "/200000\r\n\r\n";
  };
  EXPECT_EQ(all, head("0-99999") + large_.substr(0, 100'000) + "\r\n" + head("150000-199999") +
                     large_.substr(150'000) + "\r\n" + head("120000-120099") +
                     large_.substr(120'000, 100) + "\r\n--" + boundary + "--\r\n");
}

TEST_F(FileRangeTest, GivesNoMoreThanIsAskedFor) {
  for (const char* target : {"/small.txt", "/large.bin"}) {
    http::Response response = part(target, "bytes=0-2,5-9");
    auto& source = std::get<std::unique_ptr<http::BodySource>>(response.body());
    std::string all;
    for (bool last = false; !last;) {
      const http::PullResult pulled = source->pull(3);
      ASSERT_EQ(pulled.kind, http::PullResult::Kind::kData);
      ASSERT_FALSE(pulled.data.empty());
      ASSERT_LE(pulled.data.size(), 3u);
      all.append(pulled.data.view());
      last = pulled.last;
    }
    EXPECT_EQ(std::to_string(all.size()), field_of(response, "content-length"));
    EXPECT_TRUE(all.ends_with("--\r\n"));
  }
}

TEST_F(FileRangeTest, AFileThatChangesFailsItsParts) {
  for (const char* range : {"bytes=1000-199999", "bytes=0-99999,150000-199999"}) {
    write_file(directory_ / "large.bin", large_);
    pass(std::chrono::seconds(1));
    http::Response response = part("/large.bin", range);
    auto& source = std::get<std::unique_ptr<http::BodySource>>(response.body());
    EXPECT_EQ(source->pull(1000).kind, http::PullResult::Kind::kData);
    write_file(directory_ / "large.bin", std::string(200'000, 'n'), kFileTime + 1);
    EXPECT_EQ(body_of(response), std::nullopt);
  }
}

TEST_F(FileRangeTest, IfRangeHoldsForTheStateOfNow) {
  const std::string etag = field("/small.txt", "etag");
  const auto with = [&](std::string_view condition) {
    return shown("/small.txt", "bytes=0-1", {{"if-range", condition}});
  };
  EXPECT_EQ(with(etag), "206 bytes 0-1/10 01");
  EXPECT_EQ(with(kTime), "206 bytes 0-1/10 01");
  EXPECT_EQ(with("\"other\""), "200 0123456789");
  EXPECT_EQ(with("W/" + etag), "200 0123456789");
  EXPECT_EQ(with("Sun, 06 Nov 1994 08:49:38 GMT"), "200 0123456789");
  EXPECT_EQ(with("nonsense"), "200 0123456789");
  // Where the condition is false there is no range that could be unsatisfiable.
  EXPECT_EQ(shown("/small.txt", "bytes=99-", {{"if-range", "\"other\""}}), "200 0123456789");
  EXPECT_EQ(part("/small.txt", "bytes=99-", {{"if-range", etag}}).status(), 416);
}

TEST_F(FileRangeTest, PreconditionsComeBeforeRanges) {
  const std::string etag = field("/small.txt", "etag");
  EXPECT_EQ(part("/small.txt", "bytes=0-1", {{"if-none-match", etag}}).status(), 304);
  EXPECT_EQ(part("/small.txt", "bytes=99-", {{"if-none-match", etag}}).status(), 304);
  EXPECT_EQ(part("/small.txt", "bytes=0-1", {{"if-match", "\"other\""}}).status(), 412);
  EXPECT_EQ(part("/small.txt", "bytes=0-1", {{"if-match", etag}}).status(), 206);
  EXPECT_EQ(part("/small.txt", "bytes=0-1", {{"if-modified-since", kTime}}).status(), 304);
  EXPECT_EQ(
      part("/small.txt", "bytes=0-1", {{"if-unmodified-since", "Sun, 06 Nov 1994 08:49:36 GMT"}})
          .status(),
      412);
  EXPECT_EQ(
      part("/small.txt", "bytes=0-1", {{"if-match", etag}, {"if-range", "\"other\""}}).status(),
      200);
}

TEST_F(FileRangeTest, APartHasTheFieldsOfTheWhole) {
  options_.field_rules = {{.path = "*.txt", .set = {{"cache-control", "max-age=60"}}}};
  EXPECT_EQ(field_of(part("/small.txt", "bytes=0-1"), "cache-control"), "max-age=60");
  EXPECT_EQ(field_of(part("/small.txt", "bytes=0-1,4-5"), "cache-control"), "max-age=60");
}

}  // namespace
}  // namespace perch::server
