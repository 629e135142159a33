// Handlers that fail, wait, stream, and are given up.
#include <stdexcept>

#include <gtest/gtest.h>

#include "perch/task/sleep.h"
#include "server/testing/patience.h"
#include "server/testing/socket_client.h"
#include "server/testing/test_server.h"

namespace perch::server {
namespace {

using http::Request;
using http::Response;
using std::chrono::milliseconds;
using task::Task;
using testing::Answer;
using testing::FieldLines;
using testing::get;
using testing::post;
using testing::SocketClient;
using testing::TestServer;

class Exchanges : public ::testing::Test {
 protected:
  // After the routes were added.
  void start() { server_.start(); }
  SocketClient connect() {
    SocketClient client(server_.port());
    client.handshake();
    return client;
  }
  // The server has seen all that was sent, and its next turn has begun.
  static bool round_trip(SocketClient& client, unsigned number) {
    client.script.ping(number);
    client.send();
    char expected[32];
    std::snprintf(expected, sizeof(expected), "PING ACK %x", number);
    return client.read_frame(expected);
  }
  bool logged(std::string_view line) { return server_.log().find(line) != std::string::npos; }

  TestServer server_;
};

// --- failures

Task<Response> throw_at_once(Request) {
  throw std::runtime_error("at once");
  co_return Response();
}

Task<Response> throw_after_a_wait(Request) {
  static_cast<void>(co_await task::sleep_for(milliseconds(1)));
  throw std::runtime_error("after a wait");
}

Task<Response> throw_no_exception(Request) {
  throw 7;
  co_return Response();
}

TEST_F(Exchanges, AHandlerThatThrowsCostsItsStreamA500) {
  server_.get("/once", throw_at_once);
  server_.get("/wait-first", throw_after_a_wait);
  server_.get("/seven", throw_no_exception);
  server_.post("/once", throw_at_once);
  start();
  SocketClient client = connect();
  EXPECT_EQ(client.fetch(1, "/once").status, "500");
  EXPECT_EQ(client.fetch(3, "/wait-first").status, "500");
  EXPECT_EQ(client.fetch(5, "/seven").status, "500");
  client.script.request(7, post("/once"), false);
  client.script.data(7, "unread", true);
  client.send();
  EXPECT_EQ(client.answer(7).status, "500");
  EXPECT_EQ(client.fetch(9).status, "200");
  EXPECT_EQ(server_.log(),
            "handler failed: at once\nhandler failed: after a wait\n"
            "handler failed: an exception that is no std::exception\nhandler failed: at once\n");
  EXPECT_EQ(server_.statistics().connection_errors, 0u);
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(Exchanges, AProducerThatThrowsResetsItsStream) {
  for (const bool waits : {false, true}) {
    server_.get(waits ? "/late" : "/early", [waits](Request) -> Task<Response> {
      co_return Response::stream(
          [waits](http::BodyWriter writer) -> Task<void> {
            static_cast<void>(co_await writer.write(Bytes::from_static("some")));
            if (waits) static_cast<void>(co_await task::sleep_for(milliseconds(1)));
            throw std::runtime_error("no more");
          },
          "text/plain");
    });
  }
  start();
  SocketClient client = connect();
  http2::StreamId stream = 1;
  for (const std::string_view path : {"/early", "/late"}) {
    const Answer answer = client.fetch(stream, path);
    EXPECT_EQ(answer.status, "200");
    EXPECT_FALSE(answer.ended);
    EXPECT_TRUE(answer.reset);
    EXPECT_EQ(answer.error, http2::ErrorCode::kInternalError);
    stream += 2;
  }
  EXPECT_EQ(client.fetch(stream).status, "200");
  EXPECT_EQ(server_.log(), "response body failed: no more\nresponse body failed: no more\n");
  EXPECT_TRUE(server_.parked(1));
}

// --- given up

TEST_F(Exchanges, AResetCancelsTheHandler) {
  start();
  SocketClient client = connect();
  client.script.request(1, get("/wait"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(1));
  client.script.reset(1);
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(0));
  EXPECT_EQ(server_.cancel_reason(), task::CancelReason::kStreamReset);
  EXPECT_EQ(client.fetch(3).status, "200");
  EXPECT_EQ(client.answer_so_far(1).status, "");
}

TEST_F(Exchanges, TheEndOfTheConnectionCancelsTheHandler) {
  start();
  for (const bool kill : {false, true}) {
    SocketClient client = connect();
    client.script.request(1, get("/wait"));
    client.send();
    ASSERT_TRUE(server_.waiting_handlers(1));
    server_.last_reason = -1;
    if (kill) {
      client.kill();
    } else {
      client.close();
    }
    ASSERT_TRUE(server_.waiting_handlers(0));
    EXPECT_EQ(server_.cancel_reason(), task::CancelReason::kConnectionLost);
    EXPECT_TRUE(server_.open(0));
  }
}

TEST_F(Exchanges, AHandlerMayOutliveItsConnection) {
  start();
  SocketClient client = connect();
  client.script.request(1, get("/linger"));
  client.script.request(3, get("/linger"));
  client.send();
  ASSERT_TRUE(server_.waiting_handlers(2));
  client.script.reset(1);
  client.send();
  ASSERT_TRUE(testing::eventually([&] { return server_.cancelled == 1; }));
  client.close();
  ASSERT_TRUE(server_.open(0));
  EXPECT_EQ(server_.waiting, 2);
  server_.gate = true;
  EXPECT_TRUE(server_.waiting_handlers(0));
}

TEST_F(Exchanges, ACancelledUploadEndsItsReader) {
  std::atomic<int> failed{0};
  server_.post("/upload", [&](Request request) -> Task<Response> {
    for (;;) {
      Result<Bytes> piece = co_await request.body().read();
      if (!piece) break;
      if (piece->empty()) co_return Response::text("whole");
    }
    ++failed;
    co_return Response::error(400);
  });
  start();
  SocketClient client = connect();
  client.script.request(1, post("/upload"), false);
  client.script.data(1, "a part");
  client.send();
  ASSERT_TRUE(round_trip(client, 1));
  client.script.reset(1);
  client.script.request(3, post("/upload"), false);
  client.script.data(3, "a part");
  client.send();
  EXPECT_TRUE(testing::eventually([&] { return failed == 1; }));
  client.close();
  EXPECT_TRUE(testing::eventually([&] { return failed == 2; }));
}

// --- HEAD

TEST_F(Exchanges, HeadHasTheLengthAndNoBody) {
  start();
  SocketClient client = connect();
  FieldLines head = get("/hello");
  head[0].second = "HEAD";
  client.script.request(1, head);
  client.send();
  const Answer answer = client.answer(1);
  EXPECT_EQ(answer.status, "200");
  EXPECT_EQ(answer.field("content-length"), "13");
  EXPECT_EQ(answer.body, "");
  EXPECT_TRUE(answer.ended);
}

// Nobody will ever take what it writes, and it may wait for ever before it does.
TEST_F(Exchanges, HeadEndsAProducerThatWaits) {
  std::atomic<int> running{0};
  server_.get("/events", [&](Request) -> Task<Response> {
    co_return Response::stream(
        [&](http::BodyWriter writer) -> Task<void> {
          ++running;
          while (co_await task::sleep_for(std::chrono::hours(1))) {
            static_cast<void>(co_await writer.write(Bytes::from_static("event\n")));
          }
          --running;
        },
        "text/event-stream");
  });
  start();
  SocketClient client = connect();
  FieldLines head = get("/events");
  head[0].second = "HEAD";
  client.script.request(1, head);
  client.send();
  EXPECT_TRUE(client.answer(1).ended);
  EXPECT_TRUE(testing::eventually([&] { return running == 0; }));
  EXPECT_TRUE(server_.parked(1));
  EXPECT_EQ(server_.log(), "");
}

// --- bodies

TEST_F(Exchanges, AResponseMayComeBeforeTheRequestsEnd) {
  server_.post("/early", [](Request) -> Task<Response> { co_return Response::text("early"); });
  start();
  SocketClient client = connect();
  client.script.request(1, post("/early"), false);
  client.send();
  EXPECT_EQ(client.answer(1).body, "early");
  client.script.data(1, std::string(10'000, 'x'));
  client.script.data(1, "the end", true);
  client.send();
  EXPECT_EQ(client.fetch(3).status, "200");
  EXPECT_FALSE(client.answer_so_far(1).reset);
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(Exchanges, ContinueIsSaidBeforeTheBodyComes) {
  start();
  SocketClient client = connect();
  client.script.request(1, post("/echo", {{"expect", "100-continue"}}), false);
  client.send();
  EXPECT_TRUE(client.read_frame("HEADERS 1 100"));
  client.script.data(1, "now", true);
  client.send();
  EXPECT_EQ(client.answer(1).body, "now");
  EXPECT_EQ(client.script.violation(), "");
}

TEST_F(Exchanges, TrailersPassBothWays) {
  start();
  SocketClient client = connect();
  client.script.request(1, post("/echo"), false);
  client.script.data(1, "body");
  client.script.trailers(1, {{"x-checksum", "0123"}, {"x-mark", "seen"}});
  client.send();
  const Answer answer = client.answer(1);
  EXPECT_EQ(answer.body, "body");
  const FieldLines expected = {{"x-checksum", "0123"}, {"x-mark", "seen"}};
  EXPECT_EQ(answer.trailers, expected);
  EXPECT_TRUE(answer.ended);
}

// The sum of the increments that came for a stream.
std::size_t credited(const SocketClient& client, http2::StreamId stream) {
  const std::string prefix = "WINDOW_UPDATE " + std::to_string(stream) + " +";
  std::size_t sum = 0;
  for (const auto& frame : client.script.received()) {
    const std::string text = frame.describe();
    if (text.starts_with(prefix)) sum += std::stoul(text.substr(prefix.size()));
  }
  return sum;
}

TEST_F(Exchanges, AnUnreadBodyHoldsOneWindowAtMost) {
  constexpr std::size_t kBody = 1'000'000;
  std::atomic<std::size_t> taken{0};
  server_.post("/slow", [&](Request request) -> Task<Response> {
    while (!server_.gate) static_cast<void>(co_await task::sleep_for(milliseconds(1)));
    for (;;) {
      Result<Bytes> piece = co_await request.body().read();
      if (!piece || piece->empty()) break;
      taken += piece->size();
      static_cast<void>(co_await task::yield());
    }
    co_return Response::text(std::to_string(taken));
  });
  start();
  SocketClient client = connect();
  client.script.request(1, post("/slow"), false);
  std::size_t sent = 0;
  const auto send_what_the_window_admits = [&] {
    while (sent < kBody) {
      const std::size_t window = http2::kDefaultWindow + credited(client, 1) - sent;
      const std::size_t part = std::min({window, kBody - sent, std::size_t{16'000}});
      if (part == 0) break;
      client.script.data(1, std::string(part, 'u'), sent + part == kBody);
      sent += part;
    }
    client.send();
  };
  send_what_the_window_admits();
  ASSERT_TRUE(round_trip(client, 1));
  EXPECT_EQ(sent, 65'535u);
  EXPECT_EQ(credited(client, 1), 0u) << "nothing was read, so nothing more may come";
  server_.gate = true;
  ASSERT_TRUE(client.read_until([&] {
    send_what_the_window_admits();
    EXPECT_LE(sent - std::min(sent, taken.load()), 65'535u);
    return client.answer_so_far(1).ended;
  }));
  EXPECT_EQ(client.answer_so_far(1).body, "1000000");
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(Exchanges, AProducerIsBoundedByThePipe) {
  std::atomic<std::size_t> produced{0};
  server_.get("/endless", [&](Request) -> Task<Response> {
    co_return Response::stream(
        [&](http::BodyWriter writer) -> Task<void> {
          const std::string piece(1000, 'p');
          while (co_await writer.write(Bytes::copy(std::string_view(piece)))) produced += 1000;
        },
        "text/plain");
  });
  start();
  SocketClient client(server_.port());
  client.handshake({{http2::setting::kInitialWindowSize, 0}});
  client.script.request(1, get("/endless"));
  client.send();
  EXPECT_TRUE(client.read_frame("HEADERS 1 200"));
  ASSERT_TRUE(round_trip(client, 1));
  ASSERT_TRUE(round_trip(client, 2));
  // Pieces are taken as long as there are fewer than 65,536 bytes.
  EXPECT_EQ(produced, 66'000u);
  client.script.window_update(1, 5000);
  client.send();
  EXPECT_TRUE(client.read_until([&] { return client.answer_so_far(1).body.size() == 5000; }));
  ASSERT_TRUE(round_trip(client, 3));
  ASSERT_TRUE(round_trip(client, 4));
  EXPECT_EQ(produced, 71'000u);
  client.script.reset(1);
  client.send();
  EXPECT_TRUE(server_.parked(1));
}

TEST_F(Exchanges, StreamsShareTheConnection) {
  start();
  SocketClient client = connect();
  client.open_windows();
  for (http2::StreamId stream = 1; stream < 100; stream += 2) {
    client.script.request(stream, stream % 4 == 1 ? get("/bytes/100000") : post("/echo"),
                          stream % 4 == 1);
  }
  for (http2::StreamId stream = 3; stream < 100; stream += 4) {
    client.script.data(stream, std::string(1000, 'e'));
  }
  for (http2::StreamId stream = 3; stream < 100; stream += 4) client.script.data(stream, "e", true);
  client.send();
  for (http2::StreamId stream = 1; stream < 100; stream += 2) {
    EXPECT_EQ(client.answer(stream).body.size(), stream % 4 == 1 ? 100'000u : 1'001u) << stream;
  }
  EXPECT_EQ(client.script.violation(), "");
  EXPECT_TRUE(server_.parked(1));
}

// A handler that acts on streams of other connections of its worker.
TEST_F(Exchanges, AHandlerMayBroadcast) {
  struct Listener {
    task::Event news;
    bool over = false;
  };
  std::vector<Listener*> listeners;  // the one worker's
  std::atomic<int> listening{0};
  server_.get("/listen", [&](Request) -> Task<Response> {
    co_return Response::stream(
        [&](http::BodyWriter writer) -> Task<void> {
          Listener self;
          listeners.push_back(&self);
          ++listening;
          while (!self.over) {
            // Not part of the condition: docs/coroutines.md, section 6.
            const task::WaitResult told = co_await self.news.wait();
            if (!told) break;
            self.news.reset();
            static_cast<void>(co_await writer.write(Bytes::from_static("news\n")));
          }
          std::erase(listeners, &self);
          --listening;
        },
        "text/plain");
  });
  const auto tell = [&](bool over) -> Task<Response> {
    for (Listener* listener : listeners) {
      listener->over = over;
      listener->news.set();
    }
    co_return Response::text(std::to_string(listeners.size()));
  };
  server_.get("/say", [&](Request) { return tell(false); });
  server_.get("/end", [&](Request) { return tell(true); });
  start();
  std::vector<std::unique_ptr<SocketClient>> clients;
  for (int i = 0; i < 10; ++i) {
    clients.push_back(std::make_unique<SocketClient>(server_.port()));
    clients.back()->handshake();
    clients.back()->script.request(1, get("/listen"));
    clients.back()->script.request(3, get("/listen"));
    clients.back()->send();
  }
  ASSERT_TRUE(testing::eventually([&] { return listening == 20; }));
  clients.back()->kill();
  clients.pop_back();
  ASSERT_TRUE(testing::eventually([&] { return listening == 18; }));
  EXPECT_EQ(clients.front()->fetch(5, "/say").body, "18");
  for (const auto& client : clients) {
    EXPECT_TRUE(client->read_frame("DATA 1 5"));
    EXPECT_TRUE(client->read_frame("DATA 3 5"));
  }
  EXPECT_EQ(clients.front()->fetch(7, "/end").body, "18");
  for (const auto& client : clients) EXPECT_EQ(client->answer(1).body, "news\nnews\n");
  EXPECT_TRUE(server_.parked(9));
}

}  // namespace
}  // namespace perch::server
