// A program of its own, since it replaces operator new.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace {
thread_local int allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // it sees only one half once inlined
#endif
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace perch::server {
namespace {

TEST_F(FileCacheTest, AHitAllocatesNothing) {
  write_file(directory_ / "index.html", "hello");
  const http::Request page = make_request("/");
  const http::Request missing = make_request("/missing");
  const http::Request current =
      make_request("/", Method::kGet, {{"if-none-match", field_of(ask("/"), "etag")}});
  const http::Request head = make_request("/", Method::kHead);
  for (const http::Request* request : {&page, &missing, &current, &head}) {
    cache().answer(*request, now_);
    const int before = allocations;
    cache().answer(*request, now_);
    EXPECT_EQ(allocations, before) << request->path();
  }
}

TEST_F(FileCacheTest, NorDoesItWithEverySetting) {
  write_file(directory_ / "index.html", "hello");
  write_file(directory_ / "index.html.gz", "packed");
  write_file(directory_ / "404.html", "gone");
  options_.precompressed = {http::ContentCoding::kBrotli, http::ContentCoding::kGzip};
  options_.error_pages = {{404, "/404.html"}};
  options_.field_rules = {{.path = "*", .set = {{"cache-control", "no-cache"}}}};
  options_.redirects = {{.from = "/old", .to = "/new"}};
  options_.hsts = "max-age=60";
  options_.fallback = "/index.html";
  const FieldLines packed = {{"accept-encoding", "gzip, deflate, br;q=0.9"}};
  const FieldLines browser = {{"accept", "text/html"}, {"accept-encoding", "gzip"}};
  const http::Request page = make_request("/", Method::kGet, packed, "https");
  const http::Request missing = make_request("/missing.js");
  const http::Request fallback = make_request("/place", Method::kGet, browser);
  for (const http::Request* request : {&page, &missing, &fallback}) {
    cache().answer(*request, now_);
    const int before = allocations;
    cache().answer(*request, now_);
    EXPECT_EQ(allocations, before) << request->path();
  }
}

}  // namespace
}  // namespace perch::server
