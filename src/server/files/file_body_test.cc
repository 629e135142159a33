#include "server/files/file_body.h"

#include <algorithm>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

using Kind = http::PullResult::Kind;

class FileSourceTest : public testing::Test {
 protected:
  FileSource open(std::string_view content) {
    write_file(directory_ / "file", content);
    const DocumentRoot root = DocumentRoot::open(directory_.string()).value();
    OpenedFile opened = std::move(root.open_file("file").value());
    return FileSource(std::make_shared<SharedFile>(std::move(opened.descriptor), opened.identity),
                      buffers_);
  }

  TemporaryDirectory directory_;
  std::shared_ptr<StreamBuffers> buffers_ = std::make_shared<StreamBuffers>();
};

std::string pattern(std::size_t size) {
  std::string text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 31 + i / 257);
  return text;
}

TEST_F(FileSourceTest, GivesTheFileInPiecesOfAtMost64KiB) {
  const std::string content = pattern(200'000);
  FileSource source = open(content);
  EXPECT_EQ(source.size(), 200'000u);
  std::string all;
  for (const std::size_t expected : {65'536u, 65'536u, 65'536u, 3'392u}) {
    const http::PullResult pulled = source.pull(1 << 20);
    EXPECT_EQ(pulled.kind, Kind::kData);
    EXPECT_EQ(pulled.data.size(), expected);
    EXPECT_EQ(pulled.last, expected == 3'392u);
    all.append(pulled.data.view());
  }
  EXPECT_EQ(all, content);
  EXPECT_EQ(source.pull(1).kind, Kind::kEnd);
  EXPECT_EQ(source.trailers(), nullptr);
}

TEST_F(FileSourceTest, GivesNoMoreThanIsAskedFor) {
  const std::string content = pattern(70'000);
  FileSource source = open(content);
  std::string all;
  for (std::size_t max = 1;; max = max * 3 + 1) {
    const http::PullResult pulled = source.pull(max);
    ASSERT_EQ(pulled.kind, Kind::kData);
    EXPECT_EQ(pulled.data.size(), std::min(max, content.size() - all.size()));
    all.append(pulled.data.view());
    if (pulled.last) break;
  }
  EXPECT_EQ(all, content);
}

TEST_F(FileSourceTest, BorrowsABufferForEachPieceThatIsInUse) {
  FileSource source = open(pattern(200'000));
  EXPECT_EQ(buffers_->loaned_bytes(), 0u);
  http::PullResult frame = source.pull(StreamBuffers::kSmallBytes);
  EXPECT_EQ(buffers_->loaned_bytes(), StreamBuffers::kSmallBytes);
  http::PullResult large = source.pull(StreamBuffers::kLargeBytes);
  EXPECT_EQ(buffers_->loaned_bytes(), StreamBuffers::kSmallBytes + StreamBuffers::kLargeBytes);
  frame.data = Bytes();
  large.data = Bytes();
  EXPECT_EQ(buffers_->loaned_bytes(), 0u);
}

TEST_F(FileSourceTest, ASmallPieceHoldsNoBuffer) {
  FileSource source = open(pattern(200'000));
  const http::PullResult piece = source.pull(StreamBuffers::kSmallBytes / 2 - 1);
  EXPECT_EQ(piece.data.view(), pattern(200'000).substr(0, StreamBuffers::kSmallBytes / 2 - 1));
  EXPECT_EQ(buffers_->loaned_bytes(), 0u);
}

TEST_F(FileSourceTest, MayEndOnAnotherThread) {
  FileSource source = open(pattern(200'000));
  source.pull(1);
  std::thread([&] {
    while (!source.pull(1 << 20).last) {
    }
  }).join();
  EXPECT_EQ(source.pull(1).kind, Kind::kEnd);
}

TEST_F(FileSourceTest, AFailedPullKeepsNoBuffer) {
  FileSource source = open(pattern(1000));
  std::filesystem::resize_file(directory_ / "file", 10);
  EXPECT_EQ(source.pull(1000).kind, Kind::kFailed);
  EXPECT_EQ(buffers_->loaned_bytes(), 0u);
}

TEST_F(FileSourceTest, ASparseFileOf2GiBIsReadInBoundedMemory) {
  FileSource small = open("x");
  std::filesystem::resize_file(directory_ / "file", std::uintmax_t{2} << 30);
  const DocumentRoot root = DocumentRoot::open(directory_.string()).value();
  OpenedFile opened = std::move(root.open_file("file").value());
  FileSource source(std::make_shared<SharedFile>(std::move(opened.descriptor), opened.identity),
                    buffers_);
  EXPECT_EQ(source.size(), std::uint64_t{2} << 30);
  for (int i = 0; i < 1000; ++i) {
    const http::PullResult pulled = source.pull(1 << 20);
    ASSERT_EQ(pulled.data.size(), 65'536u);
    EXPECT_EQ(buffers_->loaned_bytes(), 65'536u);
  }
}

TEST(ReadFile, GivesNothingWhenTheFileIsNotWhatItWas) {
  TemporaryDirectory directory;
  write_file(directory / "file", "content");
  const DocumentRoot root = DocumentRoot::open(directory.string()).value();
  const OpenedFile opened = std::move(root.open_file("file").value());
  const int descriptor = opened.descriptor.get();
  EXPECT_EQ(read_file(descriptor, opened.identity).value().view(), "content");
  std::filesystem::resize_file(directory / "file", 3);
  EXPECT_FALSE(read_file(descriptor, opened.identity).has_value());
  write_file(directory / "file", "CONTENT", kFileTime + 1);
  EXPECT_FALSE(read_file(descriptor, opened.identity).has_value());
  EXPECT_EQ(read_file(descriptor, identify(descriptor)).value().view(), "CONTENT");
}

}  // namespace
}  // namespace perch::server
