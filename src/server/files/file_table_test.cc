#include "server/files/file_table.h"

#include <fcntl.h>

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

using Kind = FileEntry::Kind;

std::unique_ptr<FileEntry> entry(std::string path, Kind kind, std::size_t body_bytes = 0) {
  auto made = std::make_unique<FileEntry>();
  made->path = std::move(path);
  made->kind = kind;
  made->body = Bytes::copy(std::string(body_bytes, 'x'));
  return made;
}

// Which of the paths "a" to "h" are known.
std::string known(FileTable& table) {
  std::string all;
  for (char c = 'a'; c <= 'h'; ++c) {
    if (table.find(std::string(1, c)) != nullptr) all.push_back(c);
  }
  return all;
}

TEST(FileTable, TheLeastRecentlyUsedEntryGoesFirst) {
  FileTable table({.entries = 3, .missing = 3, .body_bytes = 100, .open_files = 3});
  for (const char* path : {"a", "b", "c"}) table.insert(entry(path, Kind::kWhole, 1));
  EXPECT_EQ(table.entries(), 3u);
  table.use(*table.find("a"));
  table.insert(entry("d", Kind::kWhole, 1));
  EXPECT_EQ(known(table), "acd");
  EXPECT_EQ(table.entries(), 3u);
  EXPECT_EQ(table.body_bytes(), 3u);
}

TEST(FileTable, BodiesAreBoundedInBytes) {
  FileTable table({.entries = 8, .missing = 8, .body_bytes = 10, .open_files = 8});
  table.insert(entry("a", Kind::kWhole, 4));
  table.insert(entry("b", Kind::kWhole, 6));
  EXPECT_EQ(known(table), "ab");
  table.insert(entry("c", Kind::kWhole, 1));
  EXPECT_EQ(known(table), "bc");
  EXPECT_EQ(table.body_bytes(), 7u);
  table.insert(entry("d", Kind::kWhole, 10));
  EXPECT_EQ(known(table), "d");
  table.insert(entry("e", Kind::kWhole, 11));
  EXPECT_EQ(known(table), "");
  EXPECT_EQ(table.body_bytes(), 0u);
}

TEST(FileTable, OpenFilesAreBoundedAmongThemselves) {
  FileTable table({.entries = 8, .missing = 8, .body_bytes = 10, .open_files = 2});
  table.insert(entry("a", Kind::kWhole, 1));
  for (const char* path : {"b", "c"}) table.insert(entry(path, Kind::kStreamed));
  table.use(*table.find("b"));
  table.insert(entry("d", Kind::kStreamed));
  EXPECT_EQ(known(table), "abd");
  EXPECT_EQ(table.open_files(), 2u);
  table.erase_open_files();
  EXPECT_EQ(known(table), "a");
  EXPECT_EQ(table.open_files(), 0u);
}

TEST(FileTable, MissingPathsAreBoundedAmongThemselves) {
  FileTable table({.entries = 8, .missing = 2, .body_bytes = 10, .open_files = 2});
  table.insert(entry("a", Kind::kWhole, 1));
  for (const char* path : {"b", "c", "d"}) table.insert(entry(path, Kind::kMissing));
  EXPECT_EQ(known(table), "acd");
  EXPECT_EQ(table.missing(), 2u);
}

TEST(FileTable, MayKeepNothing) {
  FileTable table({.entries = 0, .missing = 0, .body_bytes = 0, .open_files = 0});
  table.insert(entry("a", Kind::kWhole, 1));
  table.insert(entry("b", Kind::kStreamed));
  table.insert(entry("c", Kind::kMissing));
  EXPECT_EQ(known(table), "");
  EXPECT_EQ(table.entries(), 0u);
}

TEST(FileTable, EntriesOfOneBucketAreToldApart) {
  FileTable table({.entries = 2, .missing = 2, .body_bytes = 0, .open_files = 0});
  // Two buckets, so of three paths two collide, whichever they are.
  for (const char* path : {"a", "b", "c", "d", "e"}) {
    table.insert(entry(path, Kind::kRedirect));
    EXPECT_NE(table.find(path), nullptr);
    EXPECT_EQ(table.find(std::string(path) + "x"), nullptr);
  }
  EXPECT_EQ(known(table), "de");
  table.erase(*table.find("d"));
  EXPECT_EQ(known(table), "e");
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

TEST_F(FileCacheTest, HoldsNoMoreDescriptorsThanItMay) {
  options_.open_files = 3;
  for (int i = 0; i < 6; ++i) {
    write_file(directory_ / std::to_string(i), std::string(70'000, 'x'));
    write_file(directory_ / ("small" + std::to_string(i)), "x");
  }
  cache();
  const std::size_t before = open_descriptors();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(status("/" + std::to_string(i)), 200);
    EXPECT_EQ(status("/small" + std::to_string(i)), 200);
  }
  EXPECT_EQ(open_descriptors(), before + 3);
  EXPECT_EQ(cache().table().open_files(), 3u);
  // A stream keeps its file open beyond its entry.
  http::Response streaming = ask("/5");
  for (int i = 0; i < 3; ++i) ask("/" + std::to_string(i));
  EXPECT_EQ(open_descriptors(), before + 4);
  EXPECT_EQ(body_of(streaming), std::string(70'000, 'x'));
  streaming.set_body({});
  EXPECT_EQ(open_descriptors(), before + 3);
  reopen();
  EXPECT_EQ(open_descriptors(), before);
}

}  // namespace
}  // namespace perch::server
