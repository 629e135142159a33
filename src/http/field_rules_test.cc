#include "perch/http/field_rules.h"

#include <string>

#include <gtest/gtest.h>

#include "perch/http/path_pattern.h"

namespace perch::http {
namespace {

TEST(PathPattern, AStarStandsForAnyRunOfCharacters) {
  for (const auto& [pattern, path] : {
           std::pair{"/a", "/a"},
           {"*", "/"},
           {"/*", "/"},
           {"/*", "/a/b"},
           {"/assets/*", "/assets/"},
           {"/assets/*", "/assets/a/b.css"},
           {"*.css", "/a/b.css"},
           {"/a/*.js", "/a/b/c.js"},
           {"/*/x/*", "/a/x/x/b"},
           {"*a*b*", "/xaxxbx"},
           {"/**", "/a"},
           {"*.min.*", "/x.min.js"},
       }) {
    EXPECT_TRUE(path_matches(pattern, path)) << pattern << " " << path;
  }
  for (const auto& [pattern, path] : {
           std::pair{"/a", "/a/"},
           {"/a", "/ab"},
           {"/assets/*", "/assets"},
           {"*.css", "/a.css2"},
           {"*.css", "/a.CSS"},
           {"/a/*.js", "/b/a/c.js"},
           {"*a*b", "/ba"},
           {"", "/"},
       }) {
    EXPECT_FALSE(path_matches(pattern, path)) << pattern << " " << path;
  }
}

TEST(PathPattern, ManyStarsDoNotTakeForEver) {
  std::string pattern;
  for (int i = 0; i < 100; ++i) pattern += "*a";
  EXPECT_FALSE(path_matches(pattern + "*b", std::string(10'000, 'a')));
  EXPECT_TRUE(path_matches(pattern, std::string(10'000, 'a')));
}

std::string shown(const Fields& fields) {
  std::string text;
  for (const Field& field : fields) {
    text.append(field.name).append("=").append(field.value).append(";");
  }
  return text;
}

TEST(FieldRules, SetReplacesAndAddAppends) {
  const FieldRule rules[] = {
      {.path = "*.css", .set = {{"cache-control", "max-age=60"}}, .add = {{"link", "</a>"}}},
      {.path = "/x/*", .set = {{"cache-control", "no-store"}, {"content-type", "text/x"}}},
      {.path = "*", .add = {{"link", "</b>"}}},
  };
  const auto applied = [&](std::string_view path, std::string_view other = {}) {
    Fields fields;
    fields.add("content-type", "text/css");
    apply_rules(rules, true, path, other, fields);
    return shown(fields);
  };
  EXPECT_EQ(applied("/a.css"),
            "content-type=text/css;cache-control=max-age=60;link=</a>;link=</b>;");
  EXPECT_EQ(applied("/x/a.css"), "content-type=text/x;cache-control=no-store;link=</a>;link=</b>;");
  EXPECT_EQ(applied("/a"), "content-type=text/css;link=</b>;");
  EXPECT_EQ(applied("/a", "/x/a"), "content-type=text/x;cache-control=no-store;link=</b>;");
}

TEST(FieldRules, OnlySomeHoldForWhatIsNoFile) {
  const FieldRule rules[] = {
      {.path = "*", .set = {{"a", "1"}}},
      {.path = "*", .set = {{"b", "2"}}, .always = true},
  };
  Fields fields;
  apply_rules(rules, false, "/x", {}, fields);
  EXPECT_EQ(shown(fields), "b=2;");
}

TEST(FieldRules, SaysWhatIsWrong) {
  const auto mistake = [](FieldRule rule) { return rule_mistake(rule).value_or("none"); };
  EXPECT_EQ(mistake({.path = "/a", .set = {{"cache-control", "no-store"}}}), "none");
  EXPECT_EQ(mistake({.path = "/a", .add = {{"vary", "cookie"}}}), "none");
  EXPECT_EQ(mistake({.path = "a"}), "the path \"a\" begins neither with \"/\" nor with \"*\"");
  EXPECT_EQ(mistake({.path = ""}), "the path \"\" begins neither with \"/\" nor with \"*\"");
  EXPECT_EQ(mistake({.path = "*", .set = {{"vary", "cookie"}}}), "vary can be added, not set");
  for (const char* name : {"content-length", "transfer-encoding", "connection", "etag", "date",
                           "content-encoding", "location", "content-range", "upgrade"}) {
    EXPECT_EQ(mistake({.path = "*", .add = {{name, "1"}}}),
              std::string(name) + " is the server's own");
  }
  EXPECT_EQ(mistake({.path = "*", .set = {{"Cache-Control", "x"}}}),
            "\"Cache-Control\" is no lower-case field name");
  EXPECT_EQ(mistake({.path = "*", .set = {{":status", "x"}}}),
            "\":status\" is no lower-case field name");
  for (const char* value : {"a\r\nb: c", " a", "a\t", "a\nb"}) {
    EXPECT_EQ(mistake({.path = "*", .set = {{"x", value}}}),
              "the value of x has a line end or a blank at an end");
  }
}

TEST(FieldRules, StrictTransportSecurity) {
  for (const char* value : {"max-age=0", "max-age=31536000", "max-age=1; includeSubDomains",
                            "max-age=1; preload", "max-age=1; includeSubDomains; preload"}) {
    EXPECT_EQ(hsts_mistake(value), std::nullopt) << value;
  }
  for (const char* value : {"", "max-age=", "31536000", "max-age=1;", "max-age=1; preloaded",
                            "max-age=99999999999", "max-age=1\r\nx: y", "max-age=-1"}) {
    EXPECT_TRUE(hsts_mistake(value).has_value()) << value;
  }
}

}  // namespace
}  // namespace perch::http
