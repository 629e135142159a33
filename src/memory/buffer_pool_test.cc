#include "perch/memory/buffer_pool.h"

#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "memory/mapping.h"
#include "memory/resident_pages.h"
#include "perch/memory/account.h"

namespace perch::memory {
namespace {

using testing::resident_pages;

constexpr std::size_t kBuffer = 16384;

std::vector<Buffer> take(BufferPool& pool, std::size_t count) {
  std::vector<Buffer> buffers;
  for (std::size_t i = 0; i < count; ++i) buffers.push_back(pool.take());
  return buffers;
}

void fill(Buffer& buffer) { std::memset(buffer.data(), 0x5a, buffer.size()); }

TEST(Buffer, DefaultConstructedIsEmpty) {
  Buffer buffer;
  EXPECT_FALSE(buffer);
  EXPECT_TRUE(buffer.span().empty());
  buffer.reset();
}

TEST(BufferPool, LendsBuffersOfTheGivenSize) {
  BufferPool pool(1000, 0);
  Buffer buffer = pool.take();
  EXPECT_EQ(buffer.size(), 1000U);
  EXPECT_EQ(pool.buffer_bytes(), 1000U);
  EXPECT_EQ(pool.loaned(), 1U);
  fill(buffer);
}

TEST(BufferPool, ReturnedBufferIsTheNextOneLent) {
  BufferPool pool(kBuffer, 4 * kBuffer);
  Buffer buffer = pool.take();
  const std::byte* data = buffer.data();
  buffer.reset();
  EXPECT_EQ(pool.cached(), 1U);
  EXPECT_EQ(pool.loaned(), 0U);
  EXPECT_EQ(pool.take().data(), data);
}

TEST(BufferPool, MovingABufferMovesTheLoan) {
  BufferPool pool(kBuffer, 4 * kBuffer);
  Buffer first = pool.take();
  Buffer second = pool.take();
  first = std::move(second);
  EXPECT_EQ(pool.loaned(), 1U);
  EXPECT_EQ(pool.cached(), 1U);
  EXPECT_TRUE(first);
}

TEST(BufferPool, KeepsNoMoreThanItsBound) {
  const std::int64_t before = accounted(MemoryClass::kBuffers);
  BufferPool pool(kBuffer, 3 * kBuffer + 100);
  std::vector<Buffer> buffers = take(pool, 5);
  for (Buffer& buffer : buffers) fill(buffer);
  EXPECT_EQ(accounted(MemoryClass::kBuffers) - before, 5 * 16384);
  const std::byte* last = buffers.back().data();
  EXPECT_EQ(resident_pages(last, kBuffer), kBuffer / page_bytes());
  for (Buffer& buffer : buffers) buffer.reset();
  EXPECT_EQ(pool.cached(), 3U);
  EXPECT_EQ(accounted(MemoryClass::kBuffers) - before, 3 * 16384);
  EXPECT_EQ(resident_pages(last, kBuffer), 0U);
}

TEST(BufferPool, TrimFreesTheLongestUnusedHalf) {
  BufferPool pool(kBuffer, 100 * kBuffer);
  std::vector<Buffer> buffers = take(pool, 10);
  for (Buffer& buffer : buffers) fill(buffer);
  const std::byte* first_back = buffers.front().data();
  const std::byte* last_back = buffers.back().data();
  for (Buffer& buffer : buffers) buffer.reset();
  EXPECT_EQ(pool.trim(), 5 * kBuffer);
  EXPECT_EQ(pool.cached(), 5U);
  EXPECT_EQ(resident_pages(first_back, kBuffer), 0U);
  EXPECT_EQ(pool.take().data(), last_back);
  EXPECT_EQ(pool.trim(), 3 * kBuffer);
  EXPECT_EQ(pool.trim(), 2 * kBuffer);  // only two were left: all of them
  EXPECT_EQ(pool.trim(), 0U);
}

TEST(BufferPool, FrozenBufferStaysOnLoanUntilTheLastBytesIsDropped) {
  BufferPool pool(kBuffer, 4 * kBuffer);
  Buffer buffer = pool.take();
  const std::byte* data = buffer.data();
  std::memcpy(buffer.data(), "perch", 5);
  Bytes bytes = std::move(buffer).freeze(5);
  EXPECT_EQ(bytes.view(), "perch");
  EXPECT_EQ(bytes.data(), data);
  Bytes part = bytes.slice(1, 2);
  bytes = Bytes();
  EXPECT_EQ(pool.loaned(), 1U);
  EXPECT_EQ(part.view(), "er");
  part = Bytes();
  EXPECT_EQ(pool.loaned(), 0U);
  EXPECT_EQ(pool.cached(), 1U);
  // Lent and shared again, it counts its references anew.
  Bytes again = pool.take().freeze(1);
  const Bytes copy = again;
  again = Bytes();
  EXPECT_EQ(copy.data(), data);
  EXPECT_EQ(pool.loaned(), 1U);
}

TEST(BufferPool, FreezingNothingReturnsTheBufferAtOnce) {
  BufferPool pool(kBuffer, 4 * kBuffer);
  EXPECT_TRUE(pool.take().freeze(0).empty());
  EXPECT_EQ(pool.loaned(), 0U);
}

TEST(BufferPool, BytesMayBeDroppedOnAnotherThread) {
  BufferPool pool(kBuffer, 4 * kBuffer);
  Bytes bytes = pool.take().freeze(kBuffer);
  const std::byte* data = bytes.data();
  std::thread([moved = std::move(bytes)]() mutable { moved = Bytes(); }).join();
  EXPECT_EQ(pool.loaned(), 0U);
  EXPECT_EQ(pool.cached(), 1U);
  EXPECT_EQ(pool.take().data(), data);
}

TEST(BufferPool, OwnerAndOtherThreadsMayWorkAtOnce) {
  BufferPool pool(4096, 8 * 4096);
  for (int round = 0; round < 20; ++round) {
    std::vector<Bytes> shared;
    for (int i = 0; i < 50; ++i) shared.push_back(pool.take().freeze(4096));
    std::thread other([mine = std::move(shared)]() mutable { mine.clear(); });
    for (int i = 0; i < 200; ++i) {
      Buffer buffer = pool.take();
      fill(buffer);
    }
    other.join();
    EXPECT_EQ(pool.loaned(), 0U);
    EXPECT_EQ(pool.cached(), 8U);
  }
}

TEST(BufferPool, LoansOutliveThePool) {
  const std::int64_t before = accounted(MemoryClass::kBuffers);
  Buffer buffer;
  Bytes here;
  Bytes elsewhere;
  {
    BufferPool pool(kBuffer, 4 * kBuffer);
    const Buffer cached = pool.take();
    buffer = pool.take();
    Buffer frozen = pool.take();
    std::memcpy(frozen.data(), "still", 5);
    here = std::move(frozen).freeze(5);
    elsewhere = pool.take().freeze(5);
  }
  EXPECT_EQ(accounted(MemoryClass::kBuffers) - before, 3 * 16384);
  EXPECT_EQ(here.view(), "still");
  fill(buffer);
  here = Bytes();
  EXPECT_EQ(accounted(MemoryClass::kBuffers) - before, 2 * 16384);
  std::thread([moved = std::move(elsewhere)]() mutable { moved = Bytes(); }).join();
  EXPECT_EQ(accounted(MemoryClass::kBuffers) - before, 16384);
  buffer.reset();
  EXPECT_EQ(accounted(MemoryClass::kBuffers), before);
}

TEST(BufferPool, MayBeDestroyedElsewhereOnceItsOwnerHasEnded) {
  const std::int64_t before = accounted(MemoryClass::kBuffers);
  std::optional<BufferPool> pool(std::in_place, kBuffer, 4 * kBuffer);
  Bytes bytes;
  std::thread([&] {
    bytes = pool->take().freeze(1);
    pool->take().reset();
  }).join();
  pool.reset();
  bytes = Bytes();
  EXPECT_EQ(accounted(MemoryClass::kBuffers), before);
}

}  // namespace
}  // namespace perch::memory
