#include "perch/net/reactor.h"

#include <sys/socket.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace perch::net {
namespace {

struct Pair {
  UniqueFd ours;
  UniqueFd theirs;
};

Pair make_pair() {
  int fds[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
  return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

struct Seen {
  std::uint32_t slot;
  std::uint32_t generation;
  IoEvents events;
};

struct RecordingSink final : EventSink {
  void on_io(std::uint32_t slot, std::uint32_t generation, IoEvents events) noexcept override {
    seen.push_back({slot, generation, events});
  }
  std::vector<Seen> seen;
};

class ReactorTest : public testing::Test {
 protected:
  ReactorTest() { reactor->set_sink(SinkId::kConnection, &sink); }
  void poll() { reactor->poll(Duration::zero()); }

  std::unique_ptr<Reactor> reactor = *Reactor::create();
  RecordingSink sink;
  Pair pair = make_pair();
};

TEST(IoToken, PacksAndUnpacks) {
  const IoToken token{SinkId::kConnection, 0xfedcba98, 0x0abcdef1};
  const IoToken back = IoToken::unpack(token.pack());
  EXPECT_EQ(back.sink, token.sink);
  EXPECT_EQ(back.slot, token.slot);
  EXPECT_EQ(back.generation, token.generation);
  // Generations wrap at 28 bits.
  EXPECT_EQ(IoToken::unpack(IoToken{SinkId::kSocket, 1, 0xf0000002}.pack()).generation, 2u);
}

TEST_F(ReactorTest, ReportsEdgesUnderTheToken) {
  ASSERT_TRUE(reactor->add(pair.ours.get(), {SinkId::kConnection, 7, 9}, IoInterest::connection()));
  poll();
  ASSERT_EQ(sink.seen.size(), 1u);
  EXPECT_EQ(sink.seen[0].slot, 7u);
  EXPECT_EQ(sink.seen[0].generation, 9u);
  EXPECT_EQ(sink.seen[0].events, kWritable);
  poll();
  EXPECT_EQ(sink.seen.size(), 1u);  // no edge, no event

  ASSERT_EQ(write(pair.theirs.get(), "x", 1), 1);
  poll();
  ASSERT_EQ(sink.seen.size(), 2u);
  EXPECT_TRUE(sink.seen[1].events.has(kReadable));
}

TEST_F(ReactorTest, ReportsThatThePeerClosed) {
  ASSERT_TRUE(reactor->add(pair.ours.get(), {SinkId::kConnection, 1, 1}, IoInterest::connection()));
  poll();
  shutdown(pair.theirs.get(), SHUT_WR);
  poll();
  ASSERT_EQ(sink.seen.size(), 2u);
  EXPECT_TRUE(sink.seen[1].events.has(kPeerClosed));
  EXPECT_FALSE(sink.seen[1].events.has(kHangup));
  pair.theirs.reset();
  poll();
  ASSERT_EQ(sink.seen.size(), 3u);
  EXPECT_TRUE(sink.seen[2].events.has(kHangup));
}

TEST_F(ReactorTest, LevelTriggeredInterestRepeats) {
  ASSERT_TRUE(reactor->add(pair.ours.get(), {SinkId::kConnection, 1, 1}, {.read = true}));
  ASSERT_EQ(write(pair.theirs.get(), "x", 1), 1);
  poll();
  poll();
  EXPECT_EQ(sink.seen.size(), 2u);
}

TEST_F(ReactorTest, ModifyReplacesTheTokenAndRemoveForgets) {
  ASSERT_TRUE(reactor->add(pair.ours.get(), {SinkId::kConnection, 1, 1}, IoInterest::connection()));
  ASSERT_TRUE(
      reactor->modify(pair.ours.get(), {SinkId::kConnection, 1, 2}, IoInterest::connection()));
  poll();
  ASSERT_EQ(sink.seen.size(), 1u);
  EXPECT_EQ(sink.seen[0].generation, 2u);
  ASSERT_TRUE(reactor->remove(pair.ours.get()));
  ASSERT_EQ(write(pair.theirs.get(), "x", 1), 1);
  poll();
  EXPECT_EQ(sink.seen.size(), 1u);
}

TEST_F(ReactorTest, EventsOfNobodyAreDropped) {
  ASSERT_TRUE(reactor->add(pair.ours.get(), {SinkId::kListener, 1, 1}, IoInterest::connection()));
  poll();
  EXPECT_TRUE(sink.seen.empty());
}

// A batch of two events: the handler of the first closes both connections and gives the second
// one's slot to a new connection. The second event bears the old generation.
TEST_F(ReactorTest, AnEventOfAClosedConnectionInTheSameBatchIsRecognised) {
  struct ClosingSink final : EventSink {
    void on_io(std::uint32_t slot, std::uint32_t generation, IoEvents) noexcept override {
      ++calls;
      if (generation != generations[slot]) {
        ++stale;
        return;
      }
      for (std::uint32_t other = 0; other < 2; ++other) {
        if (other != slot) {
          fds[other].reset();
          ++generations[other];
        }
      }
    }
    UniqueFd fds[2];
    std::uint32_t generations[2] = {5, 5};
    int calls = 0;
    int stale = 0;
  } closing;
  reactor->set_sink(SinkId::kConnection, &closing);
  Pair second = make_pair();
  closing.fds[0] = std::move(pair.ours);
  closing.fds[1] = std::move(second.ours);
  for (std::uint32_t slot = 0; slot < 2; ++slot) {
    ASSERT_TRUE(reactor->add(closing.fds[slot].get(), {SinkId::kConnection, slot, 5},
                             IoInterest::connection()));
  }
  poll();
  EXPECT_EQ(closing.calls, 2);
  EXPECT_EQ(closing.stale, 1);
}

TEST_F(ReactorTest, WakeEndsThisOrTheNextPoll) {
  reactor->wake();
  reactor->poll(Reactor::kForever);
  std::thread other([this] { reactor->wake(); });
  reactor->poll(Reactor::kForever);
  other.join();
  // No event is left, so this one ends by its timeout.
  reactor->poll(std::chrono::microseconds(1));
}

TEST_F(ReactorTest, HandlesMoreEventsThanOneBatchHolds) {
  std::vector<Pair> pairs;
  for (std::uint32_t i = 0; i < 300; ++i) {
    pairs.push_back(make_pair());
    ASSERT_TRUE(reactor->add(pairs[i].ours.get(), {SinkId::kConnection, 2 * i, 0},
                             IoInterest::connection()));
    ASSERT_TRUE(reactor->add(pairs[i].theirs.get(), {SinkId::kConnection, 2 * i + 1, 0},
                             IoInterest::connection()));
  }
  poll();
  EXPECT_EQ(sink.seen.size(), Reactor::kMaxEventsPerPoll);
  poll();
  EXPECT_EQ(sink.seen.size(), 600u);
}

}  // namespace
}  // namespace perch::net
