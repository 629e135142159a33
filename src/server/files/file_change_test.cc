// A file system that changes under the cache.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(FileCacheTest, AChangeIsSeenAfterASecond) {
  write_file(directory_ / "a", "old");
  EXPECT_EQ(body("/a"), "old");
  write_file(directory_ / "a", "newer", kFileTime + 1);
  pass(milliseconds(999));
  http::Response before = ask("/a");
  EXPECT_EQ(body_of(before), "old");
  EXPECT_EQ(field_of(before, "content-length"), "3");
  pass(milliseconds(1));
  http::Response after = ask("/a");
  EXPECT_EQ(body_of(after), "newer");
  EXPECT_EQ(field_of(after, "content-length"), "5");
  EXPECT_NE(before.prepared()->id(), after.prepared()->id());
}

TEST_F(FileCacheTest, AFileThatStaysKeepsItsHead) {
  write_file(directory_ / "a", "x");
  std::filesystem::create_directories(directory_ / "d");
  ::usleep(40'000);  // an entry of a file changed just now would not count as settled
  const std::uint64_t id = ask("/a").prepared()->id();
  pass(seconds(1));
  EXPECT_EQ(ask("/a").prepared()->id(), id);
  const std::uint64_t redirect = ask("/d").prepared()->id();
  pass(seconds(5));
  EXPECT_EQ(ask("/d").prepared()->id(), redirect);
}

TEST_F(FileCacheTest, AChangeOfTheSameSizeAndTimeIsSeenByItsInode) {
  write_file(directory_ / "a", "old");
  EXPECT_EQ(body("/a"), "old");
  write_file(directory_ / "b", "new");
  std::filesystem::rename(directory_ / "b", directory_ / "a");
  pass(seconds(1));
  EXPECT_EQ(body("/a"), "new");
}

TEST_F(FileCacheTest, FilesComeAndGo) {
  EXPECT_EQ(status("/a"), 404);
  write_file(directory_ / "a", "x");
  EXPECT_EQ(status("/a"), 404);
  pass(seconds(1));
  EXPECT_EQ(status("/a"), 200);
  std::filesystem::remove(directory_ / "a");
  EXPECT_EQ(status("/a"), 200);
  pass(seconds(1));
  EXPECT_EQ(status("/a"), 404);
  std::filesystem::create_directories(directory_ / "a");
  pass(seconds(1));
  EXPECT_EQ(status("/a"), 301);
  std::filesystem::remove(directory_ / "a");
  write_file(directory_ / "a", std::string(100'000, 'x'));
  pass(seconds(1));
  EXPECT_EQ(body("/a"), std::string(100'000, 'x'));
  EXPECT_EQ(cache().table().entries(), 1u);
}

TEST_F(FileCacheTest, AChangedModeIsSeen) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write_file(directory_ / "a", "x");
  EXPECT_EQ(status("/a"), 200);
  std::filesystem::permissions(directory_ / "a", std::filesystem::perms::none);
  pass(seconds(1));
  EXPECT_EQ(status("/a"), 404);
}

class FileStreamTest : public FileCacheTest {
 protected:
  FileStreamTest() { write_file(directory_ / "a", old_); }

  std::unique_ptr<http::BodySource> stream() {
    response_.emplace(ask("/a"));
    return std::move(std::get<std::unique_ptr<http::BodySource>>(response_->body()));
  }
  static std::string rest(http::BodySource& source) {
    std::string all;
    for (;;) {
      const http::PullResult pulled = source.pull(1 << 20);
      if (pulled.kind == http::PullResult::Kind::kFailed) return "failed";
      all.append(pulled.data.view());
      if (pulled.last) return all;
    }
  }

  const std::string old_ = std::string(200'000, 'o');
  const std::string new_ = std::string(200'000, 'n');
  std::optional<http::Response> response_;
};

TEST_F(FileStreamTest, AFileReplacedByRenameIsStreamedAsItWas) {
  auto source = stream();
  EXPECT_EQ(source->pull(1000).data.view(), old_.substr(0, 1000));
  write_file(directory_ / "b", new_);
  std::filesystem::rename(directory_ / "b", directory_ / "a");
  pass(seconds(1));
  EXPECT_EQ(body("/a"), new_);
  EXPECT_EQ(rest(*source), old_.substr(1000));
  EXPECT_EQ(source->pull(1).kind, http::PullResult::Kind::kEnd);
}

TEST_F(FileStreamTest, AFileRemovedIsStreamedToItsEnd) {
  auto source = stream();
  std::filesystem::remove(directory_ / "a");
  EXPECT_EQ(rest(*source), old_);
}

TEST_F(FileStreamTest, ATruncatedFileFailsTheStream) {
  auto source = stream();
  source->pull(1000);
  std::filesystem::resize_file(directory_ / "a", 500);
  EXPECT_EQ(source->pull(1000).kind, http::PullResult::Kind::kFailed);
  EXPECT_EQ(source->pull(1000).kind, http::PullResult::Kind::kFailed);
}

TEST_F(FileStreamTest, AFileTruncatedBehindTheReaderFailsTheStreamToo) {
  auto source = stream();
  source->pull(1000);
  std::filesystem::resize_file(directory_ / "a", 150'000);
  EXPECT_EQ(source->pull(1000).kind, http::PullResult::Kind::kFailed);
}

TEST_F(FileStreamTest, AFileWrittenInPlaceFailsTheStream) {
  auto source = stream();
  source->pull(1000);
  write_file(directory_ / "a", new_, kFileTime + 1);
  EXPECT_EQ(rest(*source), "failed");
}

TEST_F(FileStreamTest, AFileThatGrowsFailsTheStream) {
  auto source = stream();
  source->pull(1000);
  std::ofstream(directory_ / "a", std::ios::app) << "more";
  EXPECT_EQ(rest(*source), "failed");
}

TEST_F(FileStreamTest, AFileWrittenInPlaceIsNotServedWithItsOldHead) {
  const http::Response before = ask("/a");
  write_file(directory_ / "a", new_ + "!", kFileTime + 1);
  http::Response after = ask("/a");  // within the second
  EXPECT_EQ(field_of(after, "content-length"), "200001");
  EXPECT_EQ(body_of(after), new_ + "!");
}

}  // namespace
}  // namespace perch::server
