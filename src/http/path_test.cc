#include "perch/http/path.h"

#include <string>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

struct Row {
  std::string_view input;
  std::optional<std::string_view> expected;
};

using namespace std::string_view_literals;

TEST(DecodePath, HostileTable) {
  constexpr auto kRefused = std::nullopt;
  for (const Row& row : {
           // Ordinary paths.
           Row{"/", "/"},
           {"/a", "/a"},
           {"/a/", "/a/"},
           {"/a/b.html", "/a/b.html"},
           {"/a%20b", "/a b"},
           {"/a+b", "/a+b"},
           {"/%7Euser/%c3%A9", "/~user/\xc3\xa9"},
           {"/%41%62", "/Ab"},
           {"/100%25", "/100%"},
           // Not origin-form.
           {"", kRefused},
           {"*", kRefused},
           {"a", kRefused},
           {"a/b", kRefused},
           {"../a", kRefused},
           {"http://host/a", kRefused},
           {"\\a", kRefused},
           {"%2fa", kRefused},
           {"/a?b", kRefused},
           {"/a#b", kRefused},
           // An encoded "?" or "#" is a character.
           {"/a%3fb%23c", "/a?b#c"},
           // Dot segments.
           {"/.", "/"},
           {"/./", "/"},
           {"/a/.", "/a/"},
           {"/a/./b", "/a/b"},
           {"/a/..", "/"},
           {"/a/../", "/"},
           {"/a/../b", "/b"},
           {"/a/b/..", "/a/"},
           {"/a/b/../../c", "/c"},
           {"/...", "/..."},
           {"/..a/.b/c..", "/..a/.b/c.."},
           // Climbing.
           {"/..", kRefused},
           {"/../", kRefused},
           {"/../etc/passwd", kRefused},
           {"/a/../..", kRefused},
           {"/a/../../etc/passwd", kRefused},
           {"/a//../..", kRefused},
           {"/./../a", kRefused},
           {"//..", kRefused},
           {"/a/../../a", kRefused},
           // Encoded dots are dots, once.
           {"/%2e", "/"},
           {"/a/%2e%2e/b", "/b"},
           {"/%2e%2e/a", kRefused},
           {"/%2E%2E/a", kRefused},
           {"/.%2e/a", kRefused},
           {"/%2e./a", kRefused},
           {"/%252e%252e/a", "/%2e%2e/a"},
           // Encoded slashes are refused, in any case.
           {"/a%2fb", kRefused},
           {"/a%2Fb", kRefused},
           {"/..%2f..%2fetc/passwd", kRefused},
           {"/%2f", kRefused},
           {"/%252f", "/%2f"},
           // NUL.
           {"/a%00", kRefused},
           {"/%00", kRefused},
           {"/a.html%00.jpg", kRefused},
           {"/a\0b"sv, kRefused},
           // Malformed escapes.
           {"/%", kRefused},
           {"/a%", kRefused},
           {"/%2", kRefused},
           {"/%2/", kRefused},
           {"/%zz", kRefused},
           {"/%+1", kRefused},
           {"/% 1", kRefused},
           {"/%u0041", kRefused},
           {"/%%41", kRefused},
           // Slashes collapse.
           {"//", "/"},
           {"//a", "/a"},
           {"/a//b///c", "/a/b/c"},
           {"/a//", "/a/"},
           {"/a//..", "/"},
           // A backslash is an ordinary character.
           {"/a\\b", "/a\\b"},
           {"/..\\..\\etc", "/..\\..\\etc"},
           {"/%5c..%5c", "/\\..\\"},
           // Bytes above 0x7f pass: an overlong "/" or "." is none.
           {"/%c0%af%c0%ae", "/\xc0\xaf\xc0\xae"},
           {"/\xc0\xae\xc0\xae/\xff", "/\xc0\xae\xc0\xae/\xff"},
           // Control characters are for the file system to judge.
           {"/%0d%0a", "/\r\n"},
           {"/%7f", "/\x7f"},
       }) {
    const auto path = decode_path(row.input);
    EXPECT_EQ(path.has_value(), row.expected.has_value()) << row.input;
    if (!path || !row.expected) continue;
    EXPECT_EQ(*path, *row.expected) << row.input;
    EXPECT_EQ(decode_path(encode_path(*path)), path) << row.input;
  }
}

TEST(DecodePath, LongAndDeepPaths) {
  std::string deep;
  for (int i = 0; i < 10'000; ++i) deep += "/a";
  EXPECT_EQ(decode_path(deep), deep);
  std::string up = deep;
  for (int i = 0; i < 10'000; ++i) up += "/..";
  EXPECT_EQ(decode_path(up), "/");
  EXPECT_EQ(decode_path(up + "/.."), std::nullopt);
}

TEST(PercentDecode, DecodesEverything) {
  EXPECT_EQ(percent_decode(""), "");
  EXPECT_EQ(percent_decode("a%2Fb%2f"), "a/b/");
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
  EXPECT_EQ(percent_decode("+"), "+");
  for (const char* text : {"%", "%1", "a%1", "%g0", "%0g", "%-1"}) {
    EXPECT_EQ(percent_decode(text), std::nullopt) << text;
  }
}

TEST(EncodePath, EscapesWhatMayNotStandInAPath) {
  EXPECT_EQ(encode_path("/a/b-._~!$&'()*+,;=:@"), "/a/b-._~!$&'()*+,;=:@");
  EXPECT_EQ(encode_path("/a b\\c%d?e#f\"<>"), "/a%20b%5Cc%25d%3Fe%23f%22%3C%3E");
  EXPECT_EQ(encode_path("\xc3\xa9\x7f\n"sv), "%C3%A9%7F%0A");
  EXPECT_EQ(encode_path("\0"sv), "%00");
}

TEST(EncodePath, EveryByteComesBack) {
  for (int c = 1; c < 256; ++c) {
    const std::string path = {'/', static_cast<char>(c), 'x'};
    if (c == '/') continue;
    EXPECT_EQ(decode_path(encode_path(path)), path) << c;
  }
}

}  // namespace
}  // namespace perch::http
