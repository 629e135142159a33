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

}  // namespace
}  // namespace perch::server
