// Nanoseconds of a request through a session, in memory.
#include <benchmark/benchmark.h>

#include "perch/base/bytes.h"
#include "perch/base/check.h"
#include "perch/http1/session.h"

namespace perch::http1 {
namespace {

constexpr std::string_view kShort = "GET /index.html HTTP/1.1\r\nHost: localhost:8080\r\n\r\n";
constexpr std::string_view kBrowser =
    "GET /index.html HTTP/1.1\r\nHost: localhost:8080\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n"
    "Connection: keep-alive\r\nUpgrade-Insecure-Requests: 1\r\nSec-Fetch-Dest: document\r\n"
    "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Site: none\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef\r\n\r\n";

class Owner final : public http::ServerEvents {
 public:
  explicit Owner(bool prepared) : prepared_(prepared) {
    http::Fields fields;
    fields.add("content-type", "text/html; charset=utf-8");
    fields.add("content-length", "13");
    fields.add("etag", "\"0123456789abcdef\"");
    fields.add("last-modified", "Mon, 30 Nov 2026 10:00:00 GMT");
    head_ = std::make_shared<const http::PreparedHead>(200, std::move(fields));
  }
  void set_session(Session* session) { session_ = session; }
  void on_request(http::ServerStream& stream, http::RequestHeadPtr head, bool) override {
    benchmark::DoNotOptimize(head.get());
    if (prepared_) {
      session_->respond(stream, http::Response(head_, Bytes::from_static("Hello, Perch\n")));
    } else {
      session_->respond(stream, http::Response::text("Hello, Perch\n"));
    }
  }
  void on_body(http::ServerStream& stream, std::span<const std::byte> data, bool) override {
    if (!data.empty()) session_->consumed(stream, data.size());
  }
  void on_trailers(http::ServerStream&, http::Fields) override {}
  void on_stream_closed(http::ServerStream&, http::StreamEnd) override {}
  void on_output_ready() override {}

 private:
  Session* session_ = nullptr;
  std::shared_ptr<const http::PreparedHead> head_;
  bool prepared_;
};

void run(benchmark::State& state, std::string_view request, bool prepared) {
  Owner owner(prepared);
  const SessionOptions options;
  Session session(options, owner, Instant(0));
  owner.set_session(&session);
  http::OutputQueue out;
  for (auto _ : state) {
    const std::size_t used = session.receive(as_bytes(request), Instant(0));
    PERCH_CHECK(used == request.size());
    session.produce(out, 65'536, {"Mon, 30 Nov 2026 12:00:00 GMT", 1});
    PERCH_CHECK(!out.empty());
    out.clear();
  }
}

void keep_alive_short_prepared(benchmark::State& state) { run(state, kShort, true); }
BENCHMARK(keep_alive_short_prepared);

void keep_alive_browser_prepared(benchmark::State& state) { run(state, kBrowser, true); }
BENCHMARK(keep_alive_browser_prepared);

void keep_alive_browser_text(benchmark::State& state) { run(state, kBrowser, false); }
BENCHMARK(keep_alive_browser_text);

void upload_chunked_64k(benchmark::State& state) {
  std::string request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 16; ++i) request += "1000\r\n" + std::string(4096, 'x') + "\r\n";
  request += "0\r\n\r\n";
  const auto respond_once = [&](Session& session, http::OutputQueue& out) {
    PERCH_CHECK(session.receive(as_bytes(request), Instant(0)) == request.size());
    session.produce(out, 65'536, {"Mon, 30 Nov 2026 12:00:00 GMT", 1});
    out.clear();
  };
  Owner owner(true);
  const SessionOptions options;
  Session session(options, owner, Instant(0));
  owner.set_session(&session);
  http::OutputQueue out;
  for (auto _ : state) respond_once(session, out);
  state.SetBytesProcessed(state.iterations() * 65'536);
}
BENCHMARK(upload_chunked_64k);

void park_and_restore(benchmark::State& state) {
  Owner owner(true);
  const SessionOptions options;
  auto session = std::make_unique<Session>(options, owner, Instant(0));
  std::vector<std::byte> record;
  for (auto _ : state) {
    record.clear();
    session->park(record, Instant(0));
    session = Session::restore(record, options, owner, Instant(0));
  }
}
BENCHMARK(park_and_restore);

}  // namespace
}  // namespace perch::http1
