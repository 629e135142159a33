#include "server/files/file_cache.h"

#include <string>

#include <gtest/gtest.h>

#include "perch/memory/account.h"
#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

constexpr const char* kNotFoundHead =
    "404 content-type=text/plain; charset=utf-8; content-length=14";

TEST_F(FileCacheTest, AFileIsServedWithAShortHead) {
  write_file(directory_ / "a.html", "<p>hello</p>\n");
  http::Response response = ask("/a.html");
  const std::string etag = field_of(response, "etag");
  EXPECT_EQ(etag.size(), 13u);
  EXPECT_EQ(shown_head(response),
            "200 content-type=text/html; charset=utf-8; content-length=13; etag=" + etag +
                "; last-modified=Sun, 06 Nov 1994 08:49:37 GMT; accept-ranges=bytes");
  EXPECT_EQ(body_of(response), "<p>hello</p>\n");
}

TEST_F(FileCacheTest, AHitSharesHeadAndBody) {
  write_file(directory_ / "a", "hello");
  http::Response first = ask("/a");
  http::Response second = ask("/a?query");
  EXPECT_EQ(first.prepared(), second.prepared());
  EXPECT_EQ(std::get<Bytes>(first.body()).data(), std::get<Bytes>(second.body()).data());
  EXPECT_EQ(cache().table().entries(), 1u);
}

TEST_F(FileCacheTest, HeadHasTheHeadOfGetAndNoBody) {
  write_file(directory_ / "small", "hello");
  write_file(directory_ / "large", std::string(100'000, 'x'));
  for (const char* target : {"/small", "/large"}) {
    http::Response response = ask(target, Method::kHead);
    EXPECT_EQ(shown_head(response), shown_head(ask(target)));
    EXPECT_TRUE(std::holds_alternative<std::monostate>(response.body()));
  }
}

TEST_F(FileCacheTest, OtherMethodsAre405WithAllow) {
  write_file(directory_ / "a", "hello");
  for (Method method : {Method::kPost, Method::kPut, Method::kDelete, Method::kOptions,
                        Method::kPatch, Method::kTrace, Method::kOther}) {
    http::Response response = ask("/a", method);
    EXPECT_EQ(shown_head(response),
              "405 allow=GET, HEAD; content-type=text/plain; charset=utf-8; content-length=23");
    EXPECT_EQ(body_of(response), "405 Method Not Allowed\n");
  }
  EXPECT_EQ(cache().table().entries(), 0u);
}

TEST_F(FileCacheTest, WhatIsMissingIs404) {
  http::Response response = ask("/missing");
  EXPECT_EQ(shown_head(response), kNotFoundHead);
  EXPECT_EQ(body_of(response), "404 Not Found\n");
  http::Response head = ask("/missing", Method::kHead);
  EXPECT_EQ(shown_head(head), kNotFoundHead);
  EXPECT_EQ(body_of(head), "");
}

TEST_F(FileCacheTest, AMalformedPathIs400) {
  http::Response response = ask("/%zz");
  EXPECT_EQ(shown_head(response), "400 content-type=text/plain; charset=utf-8; content-length=16");
  EXPECT_EQ(body_of(response), "400 Bad Request\n");
  EXPECT_EQ(status("*"), 400);
  EXPECT_EQ(cache().table().entries(), 0u);
}

TEST_F(FileCacheTest, ADirectoryServesItsIndex) {
  write_file(directory_ / "index.html", "root");
  write_file(directory_ / "d/index.html", "inner");
  EXPECT_EQ(body("/"), "root");
  EXPECT_EQ(body("/d/"), "inner");
  EXPECT_EQ(field_of(ask("/d/"), "content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(body("/d/index.html"), "inner");
  EXPECT_EQ(status("/d/index.html/"), 404);
}

TEST_F(FileCacheTest, ADirectoryWithoutIndexIsNotListed) {
  write_file(directory_ / "d/file", "x");
  std::filesystem::create_directories(directory_ / "e/index.html");
  EXPECT_EQ(status("/"), 404);
  EXPECT_EQ(status("/d/"), 404);
  EXPECT_EQ(status("/e/"), 404);
  options_.index = "";
  write_file(directory_ / "index.html", "root");
  reopen();
  EXPECT_EQ(status("/"), 404);
}

TEST_F(FileCacheTest, ADirectoryWithoutSlashRedirects) {
  std::filesystem::create_directories(directory_ / "d e/f");
  http::Response response = ask("/d%20e");
  EXPECT_EQ(shown_head(response), "301 location=/d%20e/; content-length=0");
  EXPECT_EQ(body_of(response), "");
  EXPECT_EQ(field_of(ask("/d%20e/f?a=b&c"), "location"), "/d%20e/f/?a=b&c");
  EXPECT_EQ(field_of(ask("/d%20e/f?a\tb"), "location"), "/d%20e/f/");
  // Never to another host.
  std::filesystem::create_directories(directory_ / "\\host");
  EXPECT_EQ(field_of(ask("//d%20e"), "location"), "/d%20e/");
  EXPECT_EQ(field_of(ask("/\\host"), "location"), "/%5Chost/");
}

TEST_F(FileCacheTest, AllSpellingsOfAPathShareOneEntry) {
  write_file(directory_ / "a b", "hello");
  const http::Response first = ask("/a%20b");
  for (const char* target : {"/%61%20b", "/a b", "//a%20b", "/./a%20b", "/x/../a%20b"}) {
    EXPECT_EQ(ask(target).prepared(), first.prepared()) << target;
  }
  EXPECT_EQ(cache().table().entries(), 1u);
  // The other way round, a name that looks encoded is another name.
  write_file(directory_ / "a%20b", "other");
  EXPECT_EQ(body("/a%2520b"), "other");
  EXPECT_EQ(body("/a%20b"), "hello");
}

TEST_F(FileCacheTest, AnEmptyFileHasLengthZero) {
  write_file(directory_ / "empty", "");
  http::Response response = ask("/empty");
  EXPECT_EQ(response.status(), 200);
  EXPECT_EQ(field_of(response, "content-length"), "0");
  EXPECT_EQ(body_of(response), "");
}

TEST_F(FileCacheTest, UpTo64KiBAreKeptAndMoreIsStreamed) {
  const std::string limit(64 << 10, 'a');
  write_file(directory_ / "limit", limit);
  write_file(directory_ / "more", limit + "b");
  EXPECT_EQ(body("/limit"), limit);
  EXPECT_EQ(cache().table().body_bytes(), limit.size());
  EXPECT_EQ(cache().table().open_files(), 0u);
  EXPECT_EQ(body("/more"), limit + "b");
  EXPECT_EQ(cache().table().body_bytes(), limit.size());
  EXPECT_EQ(cache().table().open_files(), 1u);
}

TEST_F(FileCacheTest, ALongPathIsServedButNotKept) {
  std::string path;
  std::filesystem::path file = directory_ / "";
  for (int i = 0; i < 6; ++i) {
    path += "/" + std::string(200, 'd');
    file /= std::string(200, 'd');
  }
  write_file(file, "deep");
  EXPECT_EQ(body(path), "deep");
  EXPECT_EQ(status(path + "x"), 404);
  EXPECT_EQ(cache().table().entries(), 0u);
}

TEST_F(FileCacheTest, AFutureModificationTimeIsGivenAsNow) {
  write_file(directory_ / "a", "x", 4102444800);
  const std::string date = field_of(ask("/a"), "last-modified");
  ASSERT_EQ(date.size(), 29u);
  EXPECT_LT(date.substr(12, 4), "2100");
  write_file(directory_ / "old", "x", -86400);
  EXPECT_EQ(field_of(ask("/old"), "last-modified"), "");
}

TEST_F(FileCacheTest, IsAccountedAndGivesAllBack) {
  using memory::MemoryClass;
  const auto before = memory::accounted(MemoryClass::kFileCache);
  write_file(directory_ / "a", std::string(1000, 'x'));
  write_file(directory_ / "b", std::string(100'000, 'x'));
  std::filesystem::create_directories(directory_ / "d");
  for (const char* target : {"/a", "/b", "/d", "/missing"}) status(target);
  EXPECT_EQ(cache().table().entries(), 4u);
  EXPECT_GT(memory::accounted(MemoryClass::kFileCache), before + 1000);
  // A body in use outlives its cache, and is accounted as long.
  http::Response response = ask("/a");
  reopen();
  EXPECT_GT(memory::accounted(MemoryClass::kFileCache), before + 1000);
  response.set_body({});
  EXPECT_EQ(memory::accounted(MemoryClass::kFileCache), before);
}

TEST(Etag, DependsOnTimeSizeInodeAndCoding) {
  const FileIdentity identity{.device = 1, .inode = 2, .size = 3, .modified_ns = 4};
  const std::string etag = make_etag(identity);
  EXPECT_EQ(etag.size(), 13u);
  EXPECT_EQ(make_etag({.device = 9, .inode = 2, .size = 3, .modified_ns = 4, .changed_ns = 9}),
            etag);
  EXPECT_NE(make_etag({.inode = 3, .size = 3, .modified_ns = 4}), etag);
  EXPECT_NE(make_etag({.inode = 2, .size = 4, .modified_ns = 4}), etag);
  EXPECT_NE(make_etag({.inode = 2, .size = 3, .modified_ns = 5}), etag);
  EXPECT_NE(make_etag(identity, http::ContentCoding::kGzip), etag);
  EXPECT_NE(make_etag(identity, http::ContentCoding::kGzip),
            make_etag(identity, http::ContentCoding::kBrotli));
}

}  // namespace
}  // namespace perch::server
