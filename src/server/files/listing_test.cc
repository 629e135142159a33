#include "server/files/listing.h"

#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

namespace fs = std::filesystem;

class ListingTest : public FileCacheTest {
 protected:
  ListingTest() { options_.listing = true; }

  // The rows, one a line: "HREF|TEXT|SIZE|TIME".
  std::string rows(std::string_view target) {
    const std::string page = body(target).value();
    std::string all;
    constexpr std::string_view kRow = "<tr><td><a href=\"";
    for (std::size_t at = page.find(kRow); at != page.npos; at = page.find(kRow, at + 1)) {
      std::string row =
          page.substr(at + kRow.size(), page.find("</td></tr>", at) - at - kRow.size());
      for (std::string_view mark : {"\">", "</a></td><td>", "</td><td>"}) {
        row.replace(row.find(mark), mark.size(), "|");
      }
      all.append(row).append("\n");
    }
    return all;
  }
};

TEST_F(ListingTest, DirectoriesThenFilesByName) {
  write_file(directory_ / "d/b.txt", "0123456789");
  write_file(directory_ / "d/B.txt", std::string(1536, 'x'));
  write_file(directory_ / "d/a", "");
  write_file(directory_ / "d/z/x", "x");
  fs::create_directories(directory_ / "d/y");
  for (const char* name : {"d/z", "d/y"}) set_time(directory_ / name, kFileTime);
  EXPECT_EQ(rows("/d/"),
            "../|../||\n"
            "./y/|y/||1994-11-06 08:49\n"
            "./z/|z/||1994-11-06 08:49\n"
            "./B.txt|B.txt|1.5 KiB|1994-11-06 08:49\n"
            "./a|a|0 B|1994-11-06 08:49\n"
            "./b.txt|b.txt|10 B|1994-11-06 08:49\n");
}

TEST_F(ListingTest, IsHtmlThatMayDoNothing) {
  write_file(directory_ / "a", "x");
  http::Response response = ask("/");
  const std::string page = body_of(response).value();
  EXPECT_EQ(
      shown_head(response),
      "200 content-type=text/html; charset=utf-8; content-length=" + std::to_string(page.size()) +
          "; content-security-policy=default-src 'none'; style-src 'unsafe-inline'; "
          "x-content-type-options=nosniff");
  EXPECT_EQ(page.find("../"), page.npos);  // the root has no parent
  EXPECT_NE(page.find("<title>Index of /</title>"), page.npos);
  http::Response head = ask("/", Method::kHead);
  EXPECT_EQ(shown_head(head), shown_head(response));
  EXPECT_EQ(body_of(head), "");
}

TEST_F(ListingTest, NamesAreEscaped) {
  fs::create_directories(directory_ / "<b>&\"'");
  const std::string dir = "/%3Cb%3E%26%22%27/";
  for (const char* name : {"<script>alert(1)<", "\"onload='x'", "javascript:alert(1)", "a&amp;b",
                           "%41 ?#", "\xff\x01"}) {
    write_file(directory_ / "<b>&\"'" / name, "x");
  }
  const std::string page = body(dir).value();
  EXPECT_NE(page.find("<h1>Index of /&lt;b&gt;&amp;&quot;&#39;/</h1>"), page.npos);
  EXPECT_EQ(page.find("<script"), page.npos);
  EXPECT_EQ(page.find("href=\"javascript"), page.npos);
  const auto has = [&](std::string_view text) { return page.find(text) != page.npos; };
  EXPECT_TRUE(has("<a href=\"./%3Cscript%3Ealert(1)%3C\">&lt;script&gt;alert(1)&lt;</a>"));
  EXPECT_TRUE(has("<a href=\"./%22onload=&#39;x&#39;\">&quot;onload=&#39;x&#39;</a>"));
  EXPECT_TRUE(has("<a href=\"./javascript:alert(1)\">javascript:alert(1)</a>"));
  EXPECT_TRUE(has("<a href=\"./a&amp;amp;b\">a&amp;amp;b</a>"));
  EXPECT_TRUE(has("<a href=\"./%2541%20%3F%23\">%41 ?#</a>"));
  EXPECT_TRUE(has("<a href=\"./%FF%01\">"));
}

TEST_F(ListingTest, WhatIsNotServedIsNotListed) {
  TemporaryDirectory outside;
  write_file(outside / "secret", "secret");
  write_file(directory_ / "d/shown", "x");
  write_file(directory_ / "d/.hidden", "x");
  write_file(directory_ / ".git/config", "x");
  fs::create_symlink(outside / "secret", directory_ / "d/out");
  fs::create_symlink("nowhere", directory_ / "d/broken");
  fs::create_symlink("loop", directory_ / "d/loop");
  fs::create_symlink("shown", directory_ / "d/link");
  ASSERT_EQ(::mkfifo((directory_ / "d/fifo").c_str(), 0644), 0);
  EXPECT_EQ(rows("/d/"),
            "../|../||\n./link|link|1 B|1994-11-06 08:49\n./shown|shown|1 B|1994-11-06 08:49\n");
  EXPECT_EQ(status("/.git/"), 404);
  options_.symlinks = SymlinkPolicy::kNever;
  reopen();
  EXPECT_EQ(rows("/d/"), "../|../||\n./shown|shown|1 B|1994-11-06 08:49\n");
}

TEST_F(ListingTest, TheIndexComesFirstAndErrorsStayErrors) {
  write_file(directory_ / "d/index.html", "index");
  EXPECT_EQ(body("/d/"), "index");
  EXPECT_EQ(status("/d"), 301);
  EXPECT_EQ(status("/none/"), 404);
  EXPECT_EQ(status("/d/index.html/"), 404);
  fs::create_directories(directory_ / "e/index.html");
  EXPECT_EQ(rows("/e/").substr(0, 12), "../|../||\n./");
  options_.listing = false;
  reopen();
  EXPECT_EQ(status("/"), 404);
}

TEST_F(ListingTest, IsMadeAgainAfterASecond) {
  write_file(directory_ / "d/a", "x");
  const std::uint64_t id = ask("/d/").prepared()->id();
  EXPECT_EQ(ask("/d/").prepared()->id(), id);
  write_file(directory_ / "d/a", "longer");  // the directory itself does not change
  write_file(directory_ / "d/b", "x");
  EXPECT_EQ(ask("/d/").prepared()->id(), id);
  pass(std::chrono::seconds(1));
  EXPECT_EQ(rows("/d/"), "../|../||\n./a|a|6 B|1994-11-06 08:49\n./b|b|1 B|1994-11-06 08:49\n");
  write_file(directory_ / "d/index.html", "index");
  pass(std::chrono::seconds(1));
  EXPECT_EQ(body("/d/"), "index");
  EXPECT_EQ(cache().table().entries(), 1u);
}

TEST_F(ListingTest, IsBounded) {
  for (std::size_t i = 0; i < kMostListed + 5; ++i) {
    std::ofstream(directory_ / ("f" + std::to_string(i)));
  }
  const std::string page = body("/").value();
  std::size_t count = 0;
  for (std::size_t at = page.find("<a "); at != page.npos; at = page.find("<a ", at + 1)) ++count;
  EXPECT_EQ(count, kMostListed);
  EXPECT_NE(page.find("There is more than is listed here."), page.npos);
}

TEST(Listing, FileSizes) {
  for (const auto& [bytes, text] : {std::pair<std::int64_t, const char*>{0, "0 B"},
                                    {1, "1 B"},
                                    {1023, "1023 B"},
                                    {1024, "1 KiB"},
                                    {1536, "1.5 KiB"},
                                    {10'239, "9.9 KiB"},
                                    {10'240, "10 KiB"},
                                    {1'048'575, "1023 KiB"},
                                    {1'048'576, "1 MiB"},
                                    {5'000'000'000, "4.6 GiB"},
                                    {INT64_MAX, "8388607 TiB"}}) {
    EXPECT_EQ(format_file_size(bytes), text);
  }
}

}  // namespace
}  // namespace perch::server
