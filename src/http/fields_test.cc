#include "perch/http/fields.h"

#include <string>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

std::string shown(const Fields& fields) {
  std::string all;
  for (const Field& field : fields) {
    all.append(field.name).append("=").append(field.value).append(field.sensitive ? "!;" : ";");
  }
  return all;
}

TEST(Fields, KeepTheOrderOfTheirLines) {
  Fields fields;
  EXPECT_TRUE(fields.empty());
  fields.add("a", "1");
  fields.add("cookie", "secret", true);
  fields.add("a", "");
  EXPECT_EQ(shown(fields), "a=1;cookie=secret!;a=;");
  EXPECT_EQ(fields.size(), 3u);
  EXPECT_EQ(fields.text_bytes(), 15u);
  EXPECT_EQ(fields[1].value, "secret");
}

TEST(Fields, GetFindsTheFirstLine) {
  Fields fields;
  fields.add("accept", "x");
  fields.add("a", "1");
  fields.add("a", "2");
  EXPECT_EQ(fields.get("a"), "1");
  EXPECT_EQ(fields.get("b"), std::nullopt);
  EXPECT_EQ(fields.get("accep"), std::nullopt);
  EXPECT_TRUE(fields.contains("accept"));
  EXPECT_FALSE(fields.contains(""));
}

TEST(Fields, JoinedPutsAllValuesTogether) {
  Fields fields;
  fields.add("a", "1");
  fields.add("b", "x");
  fields.add("a", "2, 3");
  EXPECT_EQ(fields.joined("a"), "1, 2, 3");
  EXPECT_EQ(fields.joined("b"), "x");
  EXPECT_EQ(fields.joined("c"), std::nullopt);
}

TEST(Fields, SetReplacesAllLinesInThePlaceOfTheFirst) {
  Fields fields;
  fields.add("a", "1");
  fields.add("b", "2");
  fields.add("c", "3");
  fields.add("b", "4");
  fields.add("d", "5");
  fields.set("b", "longer than before");
  EXPECT_EQ(shown(fields), "a=1;b=longer than before;c=3;d=5;");
  fields.set("b", "");
  EXPECT_EQ(shown(fields), "a=1;b=;c=3;d=5;");
  fields.set("e", "6");
  EXPECT_EQ(shown(fields), "a=1;b=;c=3;d=5;e=6;");
  EXPECT_EQ(fields.text_bytes(), 9u);
}

TEST(Fields, RemoveClosesTheGaps) {
  Fields fields;
  for (const char* name : {"x", "a", "x", "b", "x"}) fields.add(name, name, name[0] == 'b');
  EXPECT_EQ(fields.remove("x"), 3u);
  EXPECT_EQ(shown(fields), "a=a;b=b!;");
  EXPECT_EQ(fields.text_bytes(), 4u);
  EXPECT_EQ(fields.remove("x"), 0u);
  fields.add("c", "c");
  EXPECT_EQ(shown(fields), "a=a;b=b!;c=c;");
  EXPECT_EQ(fields.remove("a") + fields.remove("b") + fields.remove("c"), 3u);
  EXPECT_EQ(fields.text_bytes(), 0u);
}

TEST(Fields, ArgumentsMayBeViewsOfTheObject) {
  Fields fields;
  fields.add("first", std::string(100, 'v'));
  for (int i = 0; i < 20; ++i) fields.add(fields[0].name, fields[0].value);
  EXPECT_EQ(fields[20].name, "first");
  EXPECT_EQ(fields[20].value, std::string(100, 'v'));
  fields.add("second", "w");
  fields.set(fields[0].name, fields[21].value);
  EXPECT_EQ(shown(fields), "first=w;second=w;");
  EXPECT_EQ(fields.remove(fields[0].name), 1u);
  EXPECT_EQ(shown(fields), "second=w;");
}

TEST(Fields, ANameMayBeLongerThan65535Characters) {
  Fields fields;
  const std::string name(70'000, 'n');
  fields.add(name, "v");
  EXPECT_EQ(fields.get(name), "v");
  EXPECT_EQ(fields.get(name.substr(0, 70'000 - 65'536)), std::nullopt);
}

TEST(ValidField, NamesAreLowerCaseTokens) {
  for (const char* name : {"a", "content-type", "x_y", "1", "!#$%&'*+-.^_`|~"}) {
    EXPECT_TRUE(valid_field(name, "v")) << name;
  }
  for (const char* name : {"", ":path", "Content-Type", "a b", "a:", "a\t", "\x7f", "a\x80", "(",
                           ",", "a=b", "\"", "{}", "a@", "[", "\x01"}) {
    EXPECT_FALSE(valid_field(name, "v")) << name;
  }
  EXPECT_FALSE(valid_field(std::string_view("a\0", 2), "v"));
}

TEST(ValidField, ValuesHaveNoLineEndsAndNoBlankAtAnEnd) {
  for (const char* value :
       {"", "v", "a b\tc", "\x01", "\x80\xff", "\"quoted\"", "0123456789\tabcdef"}) {
    EXPECT_TRUE(valid_field("n", value)) << value;
  }
  for (const char* value : {" ", "\t", " v", "v ", "\tv", "v\t", "a\rb", "a\nb", "\r\n"}) {
    EXPECT_FALSE(valid_field("n", value)) << value;
  }
}

TEST(ValidField, ABadCharacterIsFoundAtEveryPlace) {
  for (std::size_t size : {1u, 7u, 8u, 9u, 16u, 31u}) {
    for (std::size_t at = 0; at < size; ++at) {
      for (char bad : {'\0', '\r', '\n'}) {
        std::string value(size, '\xff');
        EXPECT_TRUE(valid_field("n", value));
        value[at] = bad;
        EXPECT_FALSE(valid_field("n", value)) << size << " " << at;
      }
    }
  }
}

}  // namespace
}  // namespace perch::http
