// What a session costs: its size while idle, its record, and what a keep-alive request allocates.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "perch/base/bytes.h"
#include "perch/http1/session.h"

namespace {
thread_local int allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace perch::http1 {
namespace {

constexpr std::string_view kRequest =
    "GET /a/page/with/a/name.html HTTP/1.1\r\n"
    "Host: www.a-host-name-that-is-long.example:8080\r\n"
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8\r\n"
    "Accept-Language: en-US,en;q=0.5\r\n"
    "Accept-Encoding: gzip, deflate, br, zstd\r\n"
    "Connection: keep-alive\r\n"
    "Cookie: session=0123456789abcdef0123456789abcdef\r\n\r\n";

class Owner final : public http::ServerEvents {
 public:
  Session* session = nullptr;
  bool prepared = true;

  void on_request(http::ServerStream& stream, http::RequestHeadPtr, bool) override {
    if (prepared) {
      session->respond(stream, http::Response(head_, Bytes::from_static("Hello, Perch\n")));
    } else {
      session->respond(stream,
                       http::Response::bytes(Bytes::from_static("Hello, Perch\n"), "text/plain"));
    }
  }
  void on_body(http::ServerStream&, std::span<const std::byte>, bool) override {}
  void on_trailers(http::ServerStream&, http::Fields) override {}
  void on_stream_closed(http::ServerStream&, http::StreamEnd) override {}
  void on_output_ready() override {}

 private:
  static http::Fields fields() {
    http::Fields fields;
    fields.add("content-type", "text/html; charset=utf-8");
    fields.add("content-length", "13");
    fields.add("etag", "\"0123456789abcdef\"");
    return fields;
  }
  std::shared_ptr<const http::PreparedHead> head_ =
      std::make_shared<const http::PreparedHead>(200, fields());
};

int allocations_per_request(bool prepared) {
  constexpr int kRequests = 100;
  Owner owner;
  owner.prepared = prepared;
  const SessionOptions options;
  Session session(options, owner, Instant(0));
  owner.session = &session;
  http::OutputQueue out;
  int before = 0;
  for (int i = 0; i <= kRequests; ++i) {
    if (i == 1) before = allocations;
    EXPECT_EQ(session.receive(as_bytes(kRequest), Instant(i)), kRequest.size());
    session.produce(out, 65'536, {"Mon, 30 Nov 2026 12:00:00 GMT", 1});
    out.consume(out.pending_bytes());
  }
  EXPECT_EQ((allocations - before) % kRequests, 0);
  return (allocations - before) / kRequests;
}

TEST(Cost, AKeepAliveRequestWithAPreparedHeadAllocatesNothing) {
  EXPECT_EQ(allocations_per_request(true), 0);
}

TEST(Cost, AKeepAliveRequestWithAHeadOfItsOwn) {
  // The fields' two blocks, and the response while it waits.
  EXPECT_LE(allocations_per_request(false), 4);
}

TEST(Cost, AnIdleSession) {
  EXPECT_LE(sizeof(Session), 304U);
  Owner owner;
  const SessionOptions options;
  const int before = allocations;
  const Session session(options, owner, Instant(0));
  EXPECT_EQ(allocations, before);
  std::vector<std::byte> record;
  session.park(record, Instant(0));
  EXPECT_EQ(record.size(), 1U);
}

}  // namespace
}  // namespace perch::http1
