// Requests through one session in memory: 50 GETs of 5 indexed fields a batch, each answered by a
// prepared head and 13 bytes. The client's bytes are made before; nothing reads the answers.
#include <memory>

#include <benchmark/benchmark.h>

#include "perch/http2/session.h"

namespace perch::http2 {
namespace {

constexpr int kBatch = 50;
constexpr Instant kNow{1'000'000'000};
constexpr std::string_view kDate = "Mon, 30 Nov 2026 12:00:00 GMT";

class HelloOwner final : public http::ServerEvents {
 public:
  HelloOwner() {
    http::Fields fields;
    fields.add("content-type", "text/html; charset=utf-8");
    fields.add("content-length", "13");
    fields.add("etag", "\"5f3a-d\"");
    fields.add("last-modified", "Mon, 30 Nov 2026 10:00:00 GMT");
    head_ = std::make_shared<http::PreparedHead>(200, std::move(fields));
  }
  void set_session(Session* session) { session_ = session; }

  void on_request(http::ServerStream& stream, http::RequestHeadPtr, bool) override {
    session_->respond(stream, http::Response(head_, Bytes::from_static("Hello, Perch\n")));
  }
  void on_body(http::ServerStream&, std::span<const std::byte>, bool) override {}
  void on_trailers(http::ServerStream&, http::Fields) override {}
  void on_stream_closed(http::ServerStream&, http::StreamEnd) override {}
  void on_output_ready() override {}

 private:
  Session* session_ = nullptr;
  std::shared_ptr<const http::PreparedHead> head_;
};

std::vector<std::byte> preface() {
  const auto text = as_bytes(kClientPreface);
  std::vector<std::byte> bytes(text.begin(), text.end());
  FrameWriter frames(bytes);
  frames.settings({});
  frames.settings_ack();
  return bytes;
}

class Client {
 public:
  // The same fields are literals in the first batch and indexed from then on.
  std::span<const std::byte> batch() {
    bytes_.clear();
    FrameWriter frames(bytes_);
    for (int i = 0; i < kBatch; ++i) {
      block_.clear();
      encoder_.begin_block(block_);
      for (const auto& [name, value] : kFields) {
        encoder_.encode(name, value, HpackEncoder::Indexing::kIncremental, block_);
      }
      frames.headers(next_, block_, flags::kEndStream | flags::kEndHeaders);
      next_ += 2;
    }
    return bytes_;
  }
  bool used_up() const { return next_ > kLargestStreamId / 2; }

 private:
  static constexpr std::pair<std::string_view, std::string_view> kFields[] = {
      {":method", "GET"},
      {":scheme", "http"},
      {":path", "/index.html"},
      {":authority", "localhost:8080"},
      {"user-agent", "h2load nghttp2/1.52.0"},
  };
  std::vector<std::byte> bytes_;
  std::vector<std::byte> block_;
  HpackEncoder encoder_;
  StreamId next_ = 1;
};

void BM_RequestsThroughASession(benchmark::State& state) {
  const SessionOptions options;
  HelloOwner owner;
  Session session(options, owner, kNow);
  owner.set_session(&session);
  session.receive(preface(), kNow);
  Client client;
  OutputQueue out;
  std::size_t bytes = 0;
  const std::vector<std::byte> window = [] {
    std::vector<std::byte> frame;
    FrameWriter(frame).window_update(0, 13 * kBatch);
    return frame;
  }();
  for (auto _ : state) {
    const auto requests = client.batch();
    session.receive(requests, kNow);
    while (session.wants_output()) {
      session.produce(out, 64 * 1024, {kDate, 1});
      bytes += out.pending_bytes();
      out.consume(out.pending_bytes());
    }
    session.receive(window, kNow);
    if (session.failed() || client.used_up()) {
      state.SkipWithError("the session came to its end");
      break;
    }
  }
  const auto requests = static_cast<double>(state.iterations()) * kBatch;
  state.counters["ns_per_request"] =
      benchmark::Counter(requests, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["bytes_per_response"] = static_cast<double>(bytes) / requests;
}
BENCHMARK(BM_RequestsThroughASession);

// What the client's side of the above costs, to be taken off.
void BM_ClientAlone(benchmark::State& state) {
  Client client;
  for (auto _ : state) benchmark::DoNotOptimize(client.batch().data());
  state.counters["ns_per_request"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * kBatch,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_ClientAlone);

void BM_ParkAndRestore(benchmark::State& state) {
  const SessionOptions options;
  HelloOwner owner;
  auto session = std::make_unique<Session>(options, owner, kNow);
  owner.set_session(session.get());
  session->receive(preface(), kNow);
  Client client;
  OutputQueue out;
  session->receive(client.batch(), kNow);
  while (session->wants_output()) {
    session->produce(out, 64 * 1024, {kDate, 1});
    out.clear();
  }
  std::vector<std::byte> record;
  for (auto _ : state) {
    record.clear();
    session->park(record, kNow);
    session = Session::restore(record, options, owner, kNow);
  }
  state.counters["record_bytes"] = static_cast<double>(record.size());
}
BENCHMARK(BM_ParkAndRestore);

}  // namespace
}  // namespace perch::http2
