#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch/base/bytes.h"
#include "perch/net/reactor.h"
#include "perch/net/tcp_listener.h"
#include "perch/net/tcp_stream.h"
#include "perch/task/runtime.h"
#include "perch/task/sleep.h"

namespace perch::net {
namespace {

using std::chrono::milliseconds;
using task::Task;

constexpr Deadline kNever = Deadline::never();

task::RuntimeOptions with_reactors(unsigned workers) {
  task::RuntimeOptions options;
  options.workers = workers;
  options.make_driver = &Reactor::make_driver;
  return options;
}

template <class T>
T run(Task<T> task) {
  task::Runtime runtime(with_reactors(1));
  runtime.start();
  return runtime.block_on(std::move(task));
}

Endpoint loopback(std::uint16_t port = 0) { return resolve("127.0.0.1", port)->front(); }

Task<std::string> read_all(TcpStream& stream) {
  std::string text;
  std::vector<std::byte> buffer(4'096);
  for (;;) {
    Result<std::size_t> count = co_await stream.read_some(buffer, kNever);
    if (!count) {
      ADD_FAILURE() << count.error().message();
      co_return text;
    }
    if (*count == 0) co_return text;
    text += as_text(std::span(buffer).first(*count));
  }
}

Task<> echo(TcpStream stream) {
  std::vector<std::byte> buffer(4'096);
  for (;;) {
    Result<std::size_t> count = co_await stream.read_some(buffer, kNever);
    if (!count || *count == 0) break;
    Result<void> written = co_await stream.write_all(std::span(buffer).first(*count), kNever);
    EXPECT_TRUE(written.has_value());
  }
}

Task<> serve(TcpListener& listener, int connections) {
  std::vector<task::JoinHandle<>> handles;
  for (int i = 0; i < connections; ++i) {
    Result<TcpStream> stream = co_await listener.accept(kNever);
    EXPECT_TRUE(stream.has_value());
    handles.push_back(task::start(echo(std::move(*stream))));
  }
  for (task::JoinHandle<>& handle : handles) (void)co_await handle.join();
}

Task<> client(Endpoint server, std::string text) {
  TcpStream stream = *co_await TcpStream::connect(server, kNever);
  auto writer = [](TcpStream& out, const std::string& data) -> Task<> {
    EXPECT_TRUE((co_await out.write_all(as_bytes(data), kNever)).has_value());
    EXPECT_TRUE(out.shutdown_write().has_value());
  };
  task::JoinHandle<> writing = task::start(writer(stream, text));
  EXPECT_EQ(co_await read_all(stream), text);
  (void)co_await writing.join();
}

TEST(Tcp, EchoesOnOneWorker) {
  run([]() -> Task<> {
    TcpListener listener = *TcpListener::listen(loopback());
    const Endpoint address = *listener.local_endpoint();
    task::JoinHandle<> serving = task::start(serve(listener, 3));
    std::vector<task::JoinHandle<>> clients;
    // More than the socket buffers hold, so that both sides have to wait for writing.
    const std::string large(8'000'000, 'x');
    clients.push_back(task::start(client(address, "hello")));
    clients.push_back(task::start(client(address, large)));
    clients.push_back(task::start(client(address, "")));
    for (task::JoinHandle<>& handle : clients) (void)co_await handle.join();
    (void)co_await serving.join();
  }());
}

TEST(Tcp, EchoesBetweenWorkers) {
  task::Runtime runtime(with_reactors(2));
  runtime.start();
  runtime.block_on([](task::Worker& other) -> Task<> {
    TcpListener listener = *TcpListener::listen(loopback());
    const Endpoint address = *listener.local_endpoint();
    std::vector<task::JoinHandle<>> clients;
    for (int i = 0; i < 20; ++i) {
      clients.push_back(task::spawn_on(other, client(address, std::string(1'000, 'a'))));
    }
    co_await serve(listener, 20);
    for (task::JoinHandle<>& handle : clients) (void)co_await handle.join();
  }(runtime.worker(1)));
}

TEST(Tcp, WaitsEndAtTheirDeadlines) {
  run([]() -> Task<> {
    TcpListener listener = *TcpListener::listen(loopback());
    Result<TcpStream> nobody = co_await listener.accept(Deadline::after(milliseconds(1)));
    EXPECT_EQ(nobody.error().code(), ErrorCode::kTimedOut);
    TcpStream stream = *co_await TcpStream::connect(*listener.local_endpoint(), kNever);
    std::byte buffer[8];
    Result<std::size_t> nothing =
        co_await stream.read_some(buffer, Deadline::after(milliseconds(1)));
    EXPECT_EQ(nothing.error().code(), ErrorCode::kTimedOut);
  }());
}

TEST(Tcp, CancellingEndsARead) {
  run([]() -> Task<> {
    TcpListener listener = *TcpListener::listen(loopback());
    TcpStream stream = *co_await TcpStream::connect(*listener.local_endpoint(), kNever);
    auto reader = [](TcpStream& in) -> Task<Result<std::size_t>> {
      std::byte buffer[8];
      co_return co_await in.read_some(buffer, kNever);
    };
    task::JoinHandle<Result<std::size_t>> reading = task::start(reader(stream));
    reading.cancel(task::CancelReason::kRequested);
    Result<Result<std::size_t>> joined = co_await reading.join();
    EXPECT_EQ(joined->error().code(), ErrorCode::kCancelled);
  }());
}

TEST(Tcp, ConnectSaysThatNobodyListens) {
  run([]() -> Task<> {
    Endpoint closed;
    {
      TcpListener listener = *TcpListener::listen(loopback());
      closed = *listener.local_endpoint();
    }
    Result<TcpStream> refused = co_await TcpStream::connect(closed, kNever);
    EXPECT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().system_error(), ECONNREFUSED);
  }());
}

TEST(Tcp, StopUnwindsTasksThatWaitForSockets) {
  task::Runtime runtime(with_reactors(1));
  runtime.start();
  runtime.block_on([]() -> Task<> {
    auto acceptor = [](TcpListener listener) -> Task<> {
      Result<TcpStream> stream = co_await listener.accept(kNever);
      EXPECT_EQ(stream.error().code(), ErrorCode::kCancelled);
    };
    task::start(acceptor(*TcpListener::listen(loopback()))).detach();
    co_return;
  }());
  runtime.stop();
}

}  // namespace
}  // namespace perch::net
