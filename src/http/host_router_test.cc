#include "perch/http/host_router.h"

#include <string>

#include <gtest/gtest.h>

#include "http/task_test_support.h"

namespace perch::http {
namespace {

Handler named(std::string name) {
  return [name](Request) {
    return [](std::string text) -> task::Task<Response> { co_return Response::text(text); }(name);
  };
}

class HostRouterTest : public testing::Test {
 protected:
  void add(std::string name) { ASSERT_TRUE(hosts_.add(name, named(name)).has_value()) << name; }
  // The name under which the handler was added; "none" for 421.
  std::string chosen(std::string_view authority) {
    RequestHeadPtr head = make_request_head();
    head->authority = authority;
    Response response = run(hosts_.route(Request(std::move(head))));
    if (response.status() == 421) return "none";
    return std::string(std::get<Bytes>(response.body()).view());
  }

  HostRouter hosts_;
};

TEST_F(HostRouterTest, ByExactName) {
  for (const char* name : {"example.com", "www.example.com", "127.0.0.1", "[::1]", "Localhost"})
    add(name);
  EXPECT_EQ(chosen("example.com"), "example.com");
  EXPECT_EQ(chosen("www.example.com"), "www.example.com");
  EXPECT_EQ(chosen("EXAMPLE.com:8080"), "example.com");
  EXPECT_EQ(chosen("example.com."), "example.com");
  EXPECT_EQ(chosen("example.com.:80"), "example.com");
  EXPECT_EQ(chosen("127.0.0.1:8080"), "127.0.0.1");
  EXPECT_EQ(chosen("[::1]:8080"), "[::1]");
  EXPECT_EQ(chosen("localhost"), "Localhost");
  for (const char* other : {"", "example.org", "a.example.com", "example.com..", "xexample.com",
                            "[::2]", "[::1", ":80", "."}) {
    EXPECT_EQ(chosen(other), "none") << other;
  }
}

TEST_F(HostRouterTest, ByWildcard) {
  for (const char* name : {"*.example.com", "*.a.example.com", "b.example.com"}) add(name);
  EXPECT_EQ(chosen("x.example.com"), "*.example.com");
  EXPECT_EQ(chosen("x.y.example.com"), "*.example.com");
  EXPECT_EQ(chosen("a.example.com"), "*.example.com");
  EXPECT_EQ(chosen("x.a.example.com"), "*.a.example.com");
  EXPECT_EQ(chosen("b.example.com"), "b.example.com");
  EXPECT_EQ(chosen("x.b.example.com"), "*.example.com");
  EXPECT_EQ(chosen("example.com"), "none");
  EXPECT_EQ(chosen(".example.com"), "none");
  EXPECT_EQ(chosen("x.example.com.evil.org"), "none");
}

TEST_F(HostRouterTest, TheDefaultTakesTheRest) {
  add("example.com");
  hosts_.set_default(named("other"));
  EXPECT_EQ(chosen("example.com"), "example.com");
  EXPECT_EQ(chosen(""), "other");
  EXPECT_EQ(chosen("example.org"), "other");
  EXPECT_EQ(chosen(std::string(100'000, 'a')), "other");
  EXPECT_EQ(chosen(std::string(250, '.')), "other");
}

TEST_F(HostRouterTest, RefusesMalformedAndTakenNames) {
  add("example.com");
  add("*.example.com");
  const auto answer = [&](std::string_view name) {
    const auto added = hosts_.add(name, named("x"));
    return added ? "added" : added.error().message();
  };
  EXPECT_EQ(answer("EXAMPLE.COM."), "host \"EXAMPLE.COM.\" is listed twice");
  EXPECT_EQ(answer("*.Example.com"), "host \"*.Example.com\" is listed twice");
  EXPECT_EQ(answer(""), "host \"\" is empty");
  EXPECT_EQ(answer("*."), "host \"*.\" is empty");
  EXPECT_EQ(answer("*"), "host \"*\" has a \"*\" that is not its first label");
  EXPECT_EQ(answer("a.*.com"), "host \"a.*.com\" has a \"*\" that is not its first label");
  EXPECT_EQ(answer("a:80"), "host \"a:80\" has a port");
  EXPECT_EQ(answer("a..b"), "host \"a..b\" has an empty label");
  EXPECT_EQ(answer("a b"), "host \"a b\" has a character that no host has");
  EXPECT_EQ(answer("http://a"), "host \"http://a\" has a port");
  EXPECT_EQ(answer("[::1"), "host \"[::1\" is not an IPv6 address in brackets");
  EXPECT_EQ(answer(std::string(64, 'a')),
            "host \"" + std::string(64, 'a') + "\" has a label of more than 63 characters");
}

}  // namespace
}  // namespace perch::http
