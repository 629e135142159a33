#include "perch/http/body.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "http/task_test_support.h"
#include "perch/task/sleep.h"
#include "perch/task/spawn.h"

namespace perch::http {
namespace {

using task::Task;
using Kind = PullResult::Kind;

constexpr std::size_t kCapacity = 10;

std::shared_ptr<BodyPipe> make_pipe() { return std::make_shared<BodyPipe>(kCapacity); }

struct CountingListener final : BodyPipe::Listener {
  void on_consumed(std::size_t bytes) noexcept override { consumed.push_back(bytes); }
  void on_abandoned() noexcept override { ++abandoned; }
  std::vector<std::size_t> consumed;
  int abandoned = 0;
};

struct CountingHook final : BodySource::ReadyHook {
  void on_body_ready() noexcept override { ++calls; }
  int calls = 0;
};

// What a read gave: the text, "" at the end, or the name of the error.
Task<std::string> read(BodyPipe& pipe, Deadline deadline = Deadline::never()) {
  Result<Bytes> data = co_await pipe.read(deadline);
  if (!data) co_return std::string(to_string(data.error().code()));
  co_return std::string(data->view());
}

Task<ErrorCode> write_error(BodyPipe& pipe, Deadline deadline = Deadline::never()) {
  Result<void> written = co_await pipe.write(Bytes::from_static("x"), deadline);
  EXPECT_FALSE(written.has_value());
  co_return written.error().code();
}

TEST(BodyPipe, PullGivesWhatWasPushedInOrder) {
  BodyPipe pipe(kCapacity);
  EXPECT_EQ(pipe.pull(5).kind, Kind::kBlocked);
  pipe.push(Bytes::from_static("abcdef"));
  pipe.push(Bytes());
  pipe.push(Bytes::from_static("gh"));
  EXPECT_EQ(pipe.buffered(), 8u);
  PullResult first = pipe.pull(4);
  EXPECT_EQ(first.kind, Kind::kData);
  EXPECT_EQ(first.data.view(), "abcd");
  EXPECT_FALSE(first.last);
  pipe.finish();
  EXPECT_EQ(pipe.pull(4).data.view(), "ef");
  const PullResult last = pipe.pull(4);
  EXPECT_EQ(last.data.view(), "gh");
  EXPECT_TRUE(last.last);
  EXPECT_EQ(pipe.pull(4).kind, Kind::kEnd);
  EXPECT_EQ(pipe.buffered(), 0u);
}

TEST(BodyPipe, ManyPiecesComeInOrder) {
  BodyPipe pipe(kCapacity);
  std::string pushed;
  std::string pulled;
  for (int i = 0; i < 1000; ++i) {
    const std::string piece = std::to_string(i);
    pushed += piece;
    pipe.push(Bytes::copy(piece));
    if (i % 3 != 0) pulled += pipe.pull(100).data.view();
  }
  pipe.finish();
  while (pipe.buffered() > 0) pulled += pipe.pull(100).data.view();
  EXPECT_EQ(pulled, pushed);
}

TEST(BodyPipe, SmallCopiesAreGatheredInOrder) {
  BodyPipe pipe(kCapacity);
  std::string sent;
  for (int i = 0; i < 5000; ++i) {
    const char letter = static_cast<char>('a' + i % 26);
    pipe.push_copy(as_bytes({&letter, 1}));
    sent += letter;
  }
  pipe.push(Bytes::from_static("whole"));
  pipe.push_copy(as_bytes("tail"));
  pipe.push_copy(as_bytes(std::string(1024, 'x')));
  pipe.push_copy({});
  sent += "wholetail" + std::string(1024, 'x');
  EXPECT_EQ(pipe.buffered(), sent.size());

  pipe.finish();
  std::string got;
  int pieces = 0;
  while (!pipe.at_end()) {
    const PullResult pulled = pipe.pull(1 << 20);
    ASSERT_EQ(pulled.kind, Kind::kData);
    EXPECT_EQ(pulled.last, pipe.at_end());
    got += pulled.data.view();
    ++pieces;
  }
  EXPECT_EQ(got, sent);
  EXPECT_EQ(pieces, 5);  // 4096, 904, whole, tail, x...
  EXPECT_EQ(pipe.buffered(), 0u);
}

TEST(BodyPipe, FinishCarriesTrailers) {
  BodyPipe pipe(kCapacity);
  Fields trailers;
  trailers.add("checksum", "1");
  pipe.finish(std::move(trailers));
  EXPECT_TRUE(pipe.finished());
  EXPECT_EQ(pipe.trailers().get("checksum"), "1");
  pipe.push(Bytes::from_static("late"));
  pipe.fail(Error::cancelled());
  EXPECT_EQ(pipe.pull(1).kind, Kind::kEnd);
}

TEST(BodyPipe, FailDiscardsWhatIsQueuedAndTellsTheReader) {
  const auto pipe = make_pipe();
  CountingListener listener;
  pipe->set_listener(&listener);
  pipe->push(Bytes::from_static("abc"));
  pipe->fail(Error(ErrorCode::kReset, "gone"));
  pipe->finish();
  EXPECT_EQ(pipe->buffered(), 0u);
  EXPECT_FALSE(pipe->finished());
  EXPECT_EQ(pipe->pull(1).kind, Kind::kFailed);
  EXPECT_EQ(run(read(*pipe)), to_string(ErrorCode::kReset));
  EXPECT_EQ(run(read(*pipe)), to_string(ErrorCode::kReset));
  EXPECT_EQ(run(write_error(*pipe)), ErrorCode::kClosed);
  EXPECT_TRUE(listener.consumed.empty());
}

TEST(BodyPipe, TheListenerLearnsWhatWasTaken) {
  const auto pipe = make_pipe();
  CountingListener listener;
  pipe->set_listener(&listener);
  pipe->push(Bytes::from_static("abcdef"));
  pipe->pull(2);
  EXPECT_EQ(run(read(*pipe)), "cdef");
  EXPECT_EQ(listener.consumed, (std::vector<std::size_t>{2, 4}));
  EXPECT_EQ(listener.abandoned, 0);
}

TEST(BodyPipe, AbandonDropsWhatIsQueued) {
  const auto pipe = make_pipe();
  CountingListener listener;
  pipe->set_listener(&listener);
  pipe->push(Bytes::from_static("abc"));
  pipe->abandon();
  pipe->abandon();
  EXPECT_TRUE(pipe->abandoned());
  EXPECT_EQ(pipe->buffered(), 0u);
  EXPECT_EQ(listener.consumed, std::vector<std::size_t>{3});
  EXPECT_EQ(listener.abandoned, 1);
  pipe->push(Bytes::from_static("abc"));
  EXPECT_EQ(pipe->buffered(), 0u);
  EXPECT_EQ(run(write_error(*pipe)), ErrorCode::kClosed);
  EXPECT_EQ(run(read(*pipe)), to_string(ErrorCode::kClosed));
}

TEST(BodyPipe, TheHookIsCalledOncePerOperation) {
  BodyPipe pipe(kCapacity);
  CountingHook hook;
  pipe.set_ready_hook(&hook);
  pipe.push(Bytes::from_static("abc"));
  EXPECT_EQ(hook.calls, 1);
  pipe.push(Bytes());
  EXPECT_EQ(hook.calls, 1);
  pipe.pull(3);
  EXPECT_EQ(hook.calls, 1);
  pipe.finish();
  EXPECT_EQ(hook.calls, 2);
  pipe.finish();
  EXPECT_EQ(hook.calls, 2);
  pipe.set_ready_hook(nullptr);
}

Task<> reader_waits() {
  const auto pipe = make_pipe();
  auto reading = task::start(read(*pipe));
  EXPECT_FALSE(reading.done());
  pipe->push(Bytes::from_static("abc"));
  pipe->push(Bytes::from_static("def"));
  Result<std::string> got = co_await reading.join();
  EXPECT_EQ(got.value(), "abc");
  EXPECT_EQ(pipe->buffered(), 3u);

  std::string rest = co_await read(*pipe);
  EXPECT_EQ(rest, "def");
  auto at_end = task::start(read(*pipe));
  EXPECT_FALSE(at_end.done());
  pipe->finish();
  Result<std::string> end = co_await at_end.join();
  EXPECT_EQ(end.value(), "");
}
TEST(BodyPipe, AReaderWaitsForDataAndForTheEnd) { run(reader_waits()); }

Task<> reader_fails() {
  const auto pipe = make_pipe();
  auto reading = task::start(read(*pipe));
  pipe->fail(Error(ErrorCode::kProtocol, "bad"));
  Result<std::string> got = co_await reading.join();
  EXPECT_EQ(got.value(), to_string(ErrorCode::kProtocol));

  const auto quiet = make_pipe();
  const Deadline soon = Deadline::after(std::chrono::milliseconds(1));
  std::string late = co_await read(*quiet, soon);
  EXPECT_EQ(late, to_string(ErrorCode::kTimedOut));

  auto cancelled = task::start(read(*quiet));
  cancelled.cancel(task::CancelReason::kStreamReset);
  Result<std::string> stopped = co_await cancelled.join();
  EXPECT_EQ(stopped.value(), to_string(ErrorCode::kCancelled));
}
TEST(BodyPipe, AReaderIsToldOfFailureTimeAndCancellation) { run(reader_fails()); }

Task<bool> write(BodyPipe& pipe, std::string_view text) {
  Result<void> written = co_await pipe.write(Bytes::from_static(text), Deadline::never());
  co_return written.has_value();
}

Task<> writer_waits() {
  const auto pipe = make_pipe();
  bool first = co_await write(*pipe, "0123456789abc");
  EXPECT_TRUE(first);
  EXPECT_EQ(pipe->buffered(), 13u);
  auto second = task::start(write(*pipe, "x"));
  EXPECT_FALSE(second.done());
  pipe->pull(3);  // 10 are left: still at the capacity
  co_await task::yield();
  EXPECT_FALSE(second.done());
  pipe->pull(1);
  Result<bool> done = co_await second.join();
  EXPECT_TRUE(done.value());
  EXPECT_EQ(pipe->buffered(), 10u);
  bool nothing = co_await write(*pipe, "");
  EXPECT_TRUE(nothing);

  const Deadline soon = Deadline::after(std::chrono::milliseconds(1));
  ErrorCode late = co_await write_error(*pipe, soon);
  EXPECT_EQ(late, ErrorCode::kTimedOut);
  auto third = task::start(write_error(*pipe));
  pipe->abandon();
  Result<ErrorCode> closed = co_await third.join();
  EXPECT_EQ(closed.value(), ErrorCode::kClosed);
}
TEST(BodyPipe, AWriterWaitsWhileThePipeIsAtItsCapacity) { run(writer_waits()); }

TEST(BodyReader, ThatDiesAbandonsItsPipe) {
  const auto pipe = make_pipe();
  {
    BodyReader reader(pipe);
  }
  EXPECT_TRUE(pipe->abandoned());

  const auto first = make_pipe();
  const auto second = make_pipe();
  BodyReader reader(first);
  reader = BodyReader(second);
  EXPECT_TRUE(first->abandoned());
  EXPECT_FALSE(second->abandoned());
  BodyReader moved = std::move(reader);
  EXPECT_FALSE(second->abandoned());
}

TEST(BodyReader, ThatReadToTheEndAbandonsNothing) {
  const auto pipe = make_pipe();
  CountingListener listener;
  pipe->set_listener(&listener);
  pipe->finish();
  {
    BodyReader reader(pipe);
  }
  EXPECT_EQ(listener.abandoned, 0);
}

Task<std::optional<std::string>> read_all(BodyReader reader, std::size_t max) {
  Result<Bytes> all = co_await reader.read_all(max);
  if (all) co_return std::string(all->view());
  EXPECT_EQ(all.error().code(), ErrorCode::kLimitExceeded);
  co_return std::nullopt;
}

TEST(BodyReader, ReadAllJoinsUpToALimit) {
  EXPECT_EQ(run(read_all(BodyReader(), 0)), "");
  for (const auto& [pieces, max, expected] :
       std::vector<std::tuple<int, std::size_t, std::optional<std::string>>>{
           {0, 0, ""},
           {1, 3, "abc"},
           {3, 9, "abcabcabc"},
           {1, 2, std::nullopt},
           {3, 8, std::nullopt}}) {
    const auto pipe = make_pipe();
    for (int i = 0; i < pieces; ++i) pipe->push(Bytes::from_static("abc"));
    pipe->finish();
    EXPECT_EQ(run(read_all(BodyReader(pipe), max)), expected);
  }
}

TEST(BodyReader, TrailersComeAfterTheEnd) {
  const auto pipe = make_pipe();
  BodyReader reader(pipe);
  EXPECT_EQ(BodyReader().trailers(), nullptr);
  pipe->push(Bytes::from_static("a"));
  Fields trailers;
  trailers.add("x", "1");
  pipe->finish(std::move(trailers));
  EXPECT_EQ(reader.trailers(), nullptr);
  pipe->pull(1);
  ASSERT_NE(reader.trailers(), nullptr);
  EXPECT_EQ(reader.trailers()->get("x"), "1");
}

Task<> write_through_writer(std::shared_ptr<BodyPipe> pipe) {
  BodyWriter writer(pipe);
  Result<void> written = co_await writer.write(Bytes::from_static("abc"));
  EXPECT_TRUE(written.has_value());
  writer.finish();
}

TEST(BodyWriter, WritesAndFinishes) {
  const auto pipe = make_pipe();
  run(write_through_writer(pipe));
  const PullResult all = pipe->pull(10);
  EXPECT_EQ(all.data.view(), "abc");
  EXPECT_TRUE(all.last);
  const auto failing = make_pipe();
  BodyWriter(failing).fail(Error(ErrorCode::kSystem, "x"));
  EXPECT_EQ(failing->pull(1).kind, Kind::kFailed);
}

}  // namespace
}  // namespace perch::http
