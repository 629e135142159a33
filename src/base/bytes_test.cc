#include "perch/base/bytes.h"

#include <array>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace perch {
namespace {

// Storage that counts how often it is released.
class CountedStorage final : public BytesOwner {
 public:
  CountedStorage() : BytesOwner(&count) {}
  Bytes bytes() { return Bytes::adopt(this, data_.data(), data_.size()); }
  int released() const { return released_; }

 private:
  static void count(BytesOwner* owner) noexcept {
    ++static_cast<CountedStorage*>(owner)->released_;
  }
  std::array<std::byte, 8> data_{};
  int released_ = 0;
};

TEST(Bytes, DefaultIsEmpty) {
  EXPECT_TRUE(Bytes().empty());
  EXPECT_EQ(Bytes().view(), "");
}

TEST(Bytes, CopyDoesNotFollowItsSource) {
  std::string text = "perch";
  const Bytes bytes = Bytes::copy(text);
  text[0] = 'P';
  EXPECT_EQ(bytes.view(), "perch");
}

TEST(Bytes, StaticTextIsNotCopied) {
  static constexpr std::string_view kText = "HTTP/1.1";
  EXPECT_EQ(static_cast<const void*>(Bytes::from_static(kText).data()), kText.data());
}

TEST(Bytes, CopiesAndSlicesShareOneBlock) {
  const Bytes whole = Bytes::copy("header body");
  const Bytes copy = whole;
  EXPECT_EQ(copy.data(), whole.data());
  EXPECT_EQ(whole.slice(7, 4).data(), whole.data() + 7);
  EXPECT_EQ(whole.slice(7, 4).view(), "body");
}

TEST(Bytes, SliceOutlivesTheWhole) {
  Bytes part;
  {
    const Bytes whole = Bytes::copy("header body");
    part = whole.slice(0, 6);
  }
  EXPECT_EQ(part.view(), "header");
}

TEST(Bytes, TakeFrontSplits) {
  Bytes rest = Bytes::copy("GET /");
  EXPECT_EQ(rest.take_front(4).view(), "GET ");
  EXPECT_EQ(rest.view(), "/");
  EXPECT_EQ(rest.take_front(1).view(), "/");
  EXPECT_TRUE(rest.empty());
}

TEST(Bytes, LastReferenceReleasesOnce) {
  CountedStorage storage;
  Bytes whole = storage.bytes();
  Bytes part = whole.slice(2, 3);
  whole = Bytes();
  EXPECT_EQ(storage.released(), 0);
  part = Bytes();
  EXPECT_EQ(storage.released(), 1);
}

TEST(Bytes, ReadToTheEndReleasesTheStorage) {
  CountedStorage storage;
  Bytes bytes = storage.bytes();
  bytes.drop_front(7);
  EXPECT_EQ(storage.released(), 0);
  bytes.drop_front(1);
  EXPECT_EQ(storage.released(), 1);
}

TEST(Bytes, SelfAssignmentKeepsTheContent) {
  Bytes bytes = Bytes::copy("same");
  Bytes& alias = bytes;
  bytes = alias;
  EXPECT_EQ(bytes.view(), "same");
}

TEST(Bytes, ReferencesMayBeDroppedOnManyThreads) {
  CountedStorage storage;
  {
    Bytes whole = storage.bytes();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([bytes = whole]() mutable {
        for (int round = 0; round < 1000; ++round) Bytes(bytes.slice(1, 2)).drop_front(1);
      });
    }
    whole = Bytes();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(storage.released(), 1);
}

TEST(BytesDeathTest, SliceBeyondTheEndAborts) {
  const Bytes bytes = Bytes::copy("abc");
  EXPECT_DEATH((void)bytes.slice(2, 2), "check failed");
  EXPECT_DEATH((void)bytes.slice(1, SIZE_MAX), "check failed");
}

}  // namespace
}  // namespace perch
