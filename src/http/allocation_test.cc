// What the path of every request allocates: nothing, once warm.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "perch/http/fields.h"
#include "perch/http/request.h"
#include "perch/http/router.h"

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

namespace perch::http {
namespace {

void fill(Fields& fields) {
  for (int i = 0; i < 16; ++i) fields.add("accept-encoding", "gzip, deflate, br, zstd");
}

TEST(Allocation, FieldsThatAreClearedAndFilledAgain) {
  Fields fields;
  fill(fields);
  const int before = allocations;
  fields.clear();
  fill(fields);
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, ARequestThatReusesAHead) {
  const auto make = [] {
    RequestHeadPtr head = make_request_head();
    head->scheme = "http";
    head->authority = "a-host-name-that-is-long.example:8080";
    head->target = "/a/path/that/is/too/long/for/a/small/string?query";
    fill(head->fields);
    return Request(std::move(head));
  };
  {
    const Request warm = make();
  }
  const int before = allocations;
  {
    const Request request = make();
  }
  EXPECT_EQ(allocations, before);
}

task::Task<Response> nothing() { return {}; }

TEST(Allocation, ARouterWithAFallbackOnly) {
  Router router;
  router.set_fallback([](Request) { return nothing(); });
  {
    Request warm(make_request_head());
  }
  const int before = allocations;
  const task::Task<Response> task = router.route(Request(make_request_head()));
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace perch::http
