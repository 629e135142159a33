// [files], [[header]], [[redirect]] and [[host]]: what is read, and every kind of mistake in them
// with the exact answer.
#include "perchd/sites_toml.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "perchd/config.h"

namespace perch::perchd {
namespace {

using enum http::ContentCoding;

Config read(std::string_view text) {
  const auto config = parse_toml(text, "p.toml");
  EXPECT_TRUE(config.has_value()) << to_string(config.error().front());
  return config.value_or(Config{});
}

TEST(Sites, FilesOfTheDefaultHost) {
  const Config config = read(R"(
[files]
index = ""
symlinks = "never"
listing = true
precompressed = ["br", "GZIP"]
fallback = "/index.html"
hsts = "max-age=31536000; includeSubDomains"
error_pages = { 404 = "/404.html", 503 = "/.errors/503.html" }

[[header]]
path = "/assets/*"
cache_control = "immutable"
set = { X-Frame-Options = "DENY", "X-A" = "1" }
add = { link = "</a>" }
always = true

[[header]]
path = "*.css"
cache_control = "no-cache"

[[redirect]]
from = "/old/*"
to = "/new/*"
status = 301

[[redirect]]
from = "/a"
to = "https://example.com/"
)");
  Files expected;
  expected.index = "";
  expected.follow_symlinks = false;
  expected.listing = true;
  expected.precompressed = {kBrotli, kGzip};
  expected.fallback = "/index.html";
  expected.hsts = "max-age=31536000; includeSubDomains";
  expected.error_pages = {{404, "/404.html"}, {503, "/.errors/503.html"}};
  expected.headers = {
      {.path = "/assets/*",
       .set = {{"cache-control", "immutable"}, {"x-a", "1"}, {"x-frame-options", "DENY"}},
       .add = {{"link", "</a>"}},
       .always = true},
      {.path = "*.css", .set = {{"cache-control", "no-cache"}}},
  };
  expected.redirects = {{.from = "/old/*", .to = "/new/*", .status = 301},
                        {.from = "/a", .to = "https://example.com/", .status = 308}};
  EXPECT_EQ(config.files, expected);
  EXPECT_TRUE(config.hosts.empty());
}

TEST(Sites, HostsStartFromTheDefault) {
  const Config config = read(R"(
root = "/srv/www"
[[host]]
names = ["Example.com", "*.example.com"]
root = "/srv/example"
listing = false
[[host.header]]
path = "*"
cache_control = "no-store"
[[host.redirect]]
from = "/x"
to = "/own"
[[host]]
names = ["[::1]"]
[host.error_pages]
404 = "/own.html"
[files]
listing = true
precompressed = ["gzip"]
[files.error_pages]
404 = "/404.html"
[[header]]
path = "*"
cache_control = "max-age=60"
[[redirect]]
from = "/x"
to = "/all"
)");
  ASSERT_EQ(config.hosts.size(), 2u);
  const Host& first = config.hosts[0];
  EXPECT_EQ(first.names, (std::vector<std::string>{"Example.com", "*.example.com"}));
  EXPECT_EQ(first.root, "/srv/example");
  EXPECT_FALSE(first.files.listing);
  EXPECT_EQ(first.files.precompressed, std::vector{kGzip});
  EXPECT_EQ(first.files.error_pages.at(404), "/404.html");
  ASSERT_EQ(first.files.headers.size(), 2u);
  EXPECT_EQ(first.files.headers[1].set[0].second, "no-store");
  ASSERT_EQ(first.files.redirects.size(), 2u);
  EXPECT_EQ(first.files.redirects[0].to, "/own");
  const Host& second = config.hosts[1];
  EXPECT_EQ(second.root, "");
  EXPECT_TRUE(second.files.listing);
  EXPECT_EQ(second.files.error_pages.at(404), "/own.html");
  EXPECT_EQ(second.files.headers, config.files.headers);
  EXPECT_EQ(second.files.redirects, config.files.redirects);
}

TEST(Sites, TheShippedFileNamesEveryKeyAndItsExamplesAreGood) {
  std::ifstream in(PERCH_SOURCE_DIR "/apps/perchd/perchd.toml");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  for (const std::string_view key : files_keys()) {
    EXPECT_NE(text.find("\n#" + std::string(key) + " = "), text.npos) << key;
  }
  // The examples stand behind "#   ".
  std::string examples;
  constexpr std::string_view kMark = "\n#   ";
  for (std::size_t at = text.find(kMark); at != text.npos; at = text.find(kMark, at + 1)) {
    const std::size_t line = at + kMark.size();
    examples.append(text, line, text.find('\n', line) - line).append("\n");
  }
  const Config config = read(examples);
  EXPECT_EQ(config.files.headers.size(), 2u);
  EXPECT_EQ(config.files.redirects.size(), 1u);
  ASSERT_EQ(config.hosts.size(), 1u);
  EXPECT_EQ(config.hosts[0].files.headers.size(), 3u);
  EXPECT_EQ(config.hosts[0].files.redirects.size(), 2u);
}

struct Wrong {
  std::string_view text;
  std::string_view answer;  // without the file's name
};

constexpr Wrong kWrong[] = {
    {"files = 5", "1:1: files is not a table; expected a table: [files]"},
    {"[[files]]\nlisting = true", "1:3: files is not a table; expected a table: [files]"},
    {"[flies]\nlisting = true", "1:2: unknown table [flies]; did you mean \"files\"?"},
    {"[files]\nlisitng = true",
     "2:1: unknown key \"lisitng\" in [files]; did you mean \"listing\"?"},
    {"[files]\nfrobnicate = 1",
     "2:1: unknown key \"frobnicate\" in [files]; expected one of index, symlinks, listing, "
     "precompressed, fallback, hsts, error_pages"},
    {"[files]\nlisting = \"yes\"", "2:11: files.listing is \"yes\"; expected true or false"},
    {"[files]\nindex = \"a/b\"",
     "2:9: files.index is \"a/b\"; expected the name of a file, or \"\" for none"},
    {"[files]\nindex = 7", "2:9: files.index is 7; expected the name of a file, or \"\" for none"},
    {"[files]\nindex = \"a\\u0000\"",
     "2:9: files.index has a zero byte; expected the name of a file, or \"\" for none"},
    {"[files]\nsymlinks = \"always\"",
     "2:12: files.symlinks is \"always\"; expected \"follow\" (below the root) or \"never\""},
    {"[files]\nprecompressed = true",
     "2:17: files.precompressed is true; expected a list of \"br\", \"zstd\", \"gzip\""},
    {"[files]\nprecompressed = [\"br\", \"deflate\"]",
     "2:24: files.precompressed has the unknown coding \"deflate\"; "
     "expected a list of \"br\", \"zstd\", \"gzip\""},
    {"[files]\nprecompressed = [\"gzip\", \"x-gzip\"]",
     "2:26: files.precompressed lists \"x-gzip\" twice; expected a list of \"br\", \"zstd\", "
     "\"gzip\""},
    {"[files]\nfallback = \"index.html\"",
     "2:12: files.fallback is \"index.html\"; expected a path from the root, such as "
     "\"/404.html\""},
    {"[files]\nhsts = \"1 year\"",
     "2:8: files.hsts is \"1 year\"; expected \"max-age=SECONDS\", with or without "
     "\"; includeSubDomains\" and \"; preload\""},
    {"[files]\nerror_pages = \"/404.html\"",
     "2:15: files.error_pages is \"/404.html\"; expected pages by status: { 404 = \"/404.html\" }"},
    {"[files]\nerror_pages = { 200 = \"/a\" }",
     "2:17: files.error_pages has the key \"200\"; expected a status that perchd answers with: "
     "400, 404, 405, 412, 416 or 503"},
    {"[files]\nerror_pages = { 404 = \"../a\" }",
     "2:23: files.error_pages.404 is \"../a\"; expected a path from the root, such as "
     "\"/404.html\""},

    {"[header]\npath = \"*\"", "1:2: header is a table; expected tables: [[header]]"},
    {"header = [1]", "1:11: header is 1; expected tables: [[header]]"},
    {"[[headers]]\npath = \"*\"", "1:3: unknown key \"headers\"; did you mean \"header\"?"},
    {"[[header]]\ncache_control = \"x\"",
     "1:1: header has no path; expected a path such as \"/assets/*\" or \"*.css\""},
    {"[[header]]\npath = \"assets\"\ncache_control = \"x\"",
     "2:8: header.path is \"assets\"; expected a path such as \"/assets/*\" or \"*.css\""},
    {"[[header]]\npath = \"*\"", "1:1: header changes nothing; expected cache_control, set or add"},
    {"[[header]]\npath = \"*\"\nset = \"a: b\"",
     "3:7: header.set is \"a: b\"; expected a table of strings: { name = \"value\" }"},
    {"[[header]]\npath = \"*\"\nset = { x = 1 }",
     "3:13: header.set.x is 1; expected a table of strings: { name = \"value\" }"},
    {"[[header]]\npath = \"*\"\nset = { Content-Length = \"1\" }",
     "3:9: content-length is the server's own; expected another field, or a value on one line"},
    {"[[header]]\npath = \"*\"\nadd = { x = \"a\\r\\nb: c\" }",
     "3:9: the value of x has a line end or a blank at an end; "
     "expected another field, or a value on one line"},
    {"[[header]]\npath = \"*\"\nset = { \"x y\" = \"a\" }",
     "3:9: \"x y\" is no lower-case field name; expected another field, or a value on one line"},
    {"[[header]]\npath = \"*\"\nset = { Vary = \"cookie\" }",
     "3:9: header.set: vary can be added, not set; expected it in the table add"},

    {"[[redirect]]\nfrom = \"/a\"",
     "1:1: redirect has no \"to\"; expected from = \"/path\" or \"/path/*\", and to = a path or an "
     "http "
     "or https URL, with \"/*\" at its end if from has it"},
    {"[[redirect]]\nfrom = \"/a\"\nto = \"/b\"\nstatus = 303",
     "4:10: redirect.status is 303; expected 301, 302, 307 or 308"},
    {"[[redirect]]\nfrom = \"a\"\nto = \"/b\"",
     "2:8: redirect: from \"a\" does not begin with \"/\"; expected from = \"/path\" or "
     "\"/path/*\", "
     "and to = a path or an http or https URL, with \"/*\" at its end if from has it"},
    {"[[redirect]]\nfrom = \"/a\"\nto = \"//evil.example\"",
     "3:6: redirect: to \"//evil.example\" is neither a path nor an http or https URL; "
     "expected from = \"/path\" or \"/path/*\", and to = a path or an http or https URL, with "
     "\"/*\" "
     "at its end if from has it"},

    {"[[host]]\nroot = \"/a\"",
     "1:1: host has no names; expected a list of host names, such as \"example.com\" or "
     "\"*.example.com\""},
    {"[[host]]\nnames = []",
     "2:9: host.names is an empty list; expected a list of host names, such as \"example.com\" or "
     "\"*.example.com\""},
    {"[[host]]\nnames = \"a\"",
     "2:9: host.names is \"a\"; expected a list of host names, such as \"example.com\" or "
     "\"*.example.com\""},
    {"[[host]]\nnames = [\"a:80\"]",
     "2:10: host.names \"a:80\" has a port; expected a list of host names, such as \"example.com\" "
     "or "
     "\"*.example.com\""},
    {"[[host]]\nnames = [\"a\"]\n[[host]]\nnames = [\"b\", \"A.\"]",
     "4:15: host.names \"A.\" is listed twice; expected a list of host names, such as "
     "\"example.com\" or "
     "\"*.example.com\""},
    {"[[host]]\nnames = [\"a\"]\nroot = \"\"",
     "3:8: host.root is empty; expected a string that names a directory"},
    {"[[host]]\nnames = [\"a\"]\nlisting = 1", "3:11: host.listing is 1; expected true or false"},
    {"[[host]]\nnames = [\"a\"]\nlistings = true",
     "3:1: unknown key \"listings\" in [[host]]; did you mean \"listing\"?"},
    {"[[host]]\nnames = [\"a\"]\n[[host.header]]\npath = \"*\"",
     "3:1: host.header changes nothing; expected cache_control, set or add"},
    {"[host]\nnames = [\"a\"]", "1:2: host is a table; expected tables: [[host]]"},
};

TEST(Sites, MistakesAreAnsweredWithTheirPlace) {
  for (const Wrong& wrong : kWrong) {
    const auto config = parse_toml(wrong.text, "f");
    ASSERT_FALSE(config.has_value()) << wrong.text;
    EXPECT_EQ(to_string(config.error().front()), "f:" + std::string(wrong.answer)) << wrong.text;
    EXPECT_EQ(config.error().size(), 1u) << wrong.text;
  }
}

TEST(Sites, AllMistakesAreAnsweredFromTopToBottom) {
  const auto config = parse_toml(
      "workers = -1\n[[host]]\nnames = [\"\"]\nlisting = 1\n[files]\nhsts = 1\n[[header]]\npath = "
      "\"x\"",
      "f");
  ASSERT_FALSE(config.has_value());
  std::string lines;
  for (const ConfigError& error : config.error()) {
    lines.append(error.where).append(" ");
  }
  EXPECT_EQ(lines, "f:1:11 f:3:10 f:4:11 f:6:8 f:7:1 f:8:8 ");
}

}  // namespace
}  // namespace perch::perchd
