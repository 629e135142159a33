#include "perch/http2/output_queue.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace perch::http2 {
namespace {

std::string text(const OutputQueue& queue, std::size_t pieces = 1000) {
  std::vector<OutputQueue::Piece> found(pieces);
  found.resize(queue.gather(found));
  std::string all;
  for (const auto& piece : found) all += as_text({piece.data, piece.size});
  return all;
}

std::size_t pieces(const OutputQueue& queue) {
  OutputQueue::Piece found[64];
  return queue.gather(found);
}

TEST(OutputQueue, GathersSmallPiecesInOneBlock) {
  OutputQueue queue;
  queue.append(as_bytes("one "));
  queue.append(Bytes::copy("two "));
  std::memcpy(queue.extend(5), "three", 5);
  EXPECT_EQ(pieces(queue), 1u);
  EXPECT_EQ(text(queue), "one two three");
  EXPECT_EQ(queue.pending_bytes(), 13u);
}

TEST(OutputQueue, KeepsLargeBytesByReference) {
  const Bytes large = Bytes::copy(std::string(5000, 'x'));
  OutputQueue queue;
  queue.append(as_bytes("head"));
  queue.append(large);
  queue.append(as_bytes("tail"));
  OutputQueue::Piece found[4];
  ASSERT_EQ(queue.gather(found), 3u);
  EXPECT_EQ(found[1].data, large.data());
  EXPECT_EQ(queue.pending_bytes(), 5008u);
}

TEST(OutputQueue, DescribesNoMorePiecesThanItIsAskedFor) {
  OutputQueue queue;
  for (int i = 0; i < 3; ++i) queue.append(Bytes::copy(std::string(3000, 'y')));
  OutputQueue::Piece found[2];
  EXPECT_EQ(queue.gather(found), 2u);
}

TEST(OutputQueue, ConsumesAcrossPieces) {
  OutputQueue queue;
  queue.append(as_bytes("head"));
  queue.append(Bytes::copy(std::string(2999, 'z') + "!"));
  queue.append(as_bytes("tail"));
  queue.consume(2);
  queue.consume(2 + 2999);
  EXPECT_EQ(text(queue), "!tail");
  queue.append(as_bytes(" more"));
  EXPECT_EQ(text(queue), "!tail more");
  queue.consume(10);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(pieces(queue), 0u);
}

TEST(OutputQueue, HoldsNoMoreThanItMustWhenItIsNeverEmpty) {
  // A reader that is always a little behind must not make the queue grow by what went through.
  OutputQueue queue;
  queue.append(as_bytes("behind"));
  const std::byte* lowest = nullptr;
  for (int i = 0; i < 100'000; ++i) {
    std::byte* at = queue.extend(100);
    std::memset(at, 'a' + i % 26, 100);
    queue.consume(100);
    ASSERT_EQ(queue.pending_bytes(), 6u);
    lowest = lowest == nullptr ? at : std::min<const std::byte*>(lowest, at);
    if (i > 1000) {
      ASSERT_LT(at - lowest, 64 * 1024) << i;
    }
    if (i == 1000) lowest = at;
  }
}

TEST(OutputQueue, GivesBackWhatWentInOnRandomOperations) {
  std::mt19937 random(42);
  OutputQueue queue;
  std::string model;
  for (int i = 0; i < 20'000; ++i) {
    const std::string piece(random() % 2 == 0 ? random() % 50 : random() % 6000,
                            static_cast<char>('a' + i % 26));
    if (random() % 2 == 0) {
      queue.append(as_bytes(piece));
    } else {
      queue.append(Bytes::copy(piece));
    }
    model += piece;
    const std::size_t taken = random() % 3 == 0 ? model.size() : random() % (model.size() + 1);
    if (i % 50 == 0) {
      ASSERT_EQ(text(queue, 20'000), model);
    }
    queue.consume(taken);
    model.erase(0, taken);
    ASSERT_EQ(queue.pending_bytes(), model.size());
    if (i % 97 == 0) queue.shrink();
  }
}

}  // namespace
}  // namespace perch::http2
