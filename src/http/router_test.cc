#include "perch/http/router.h"

#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "http/task_test_support.h"

namespace perch::http {
namespace {

task::Task<Response> answer(std::string text) { co_return Response::text(text); }

// Says which route took the request, with its parameters.
Handler handler(std::string route, std::vector<std::string> parameters = {}) {
  return [route, parameters](Request request) {
    std::string text = route;
    for (const std::string& name : parameters) {
      text.append(" ").append(name).append("=").append(request.parameter(name));
    }
    return answer(text);
  };
}

class RouterTest : public testing::Test {
 protected:
  void add(Method method, std::string_view pattern, std::vector<std::string> parameters = {}) {
    const Result<void> added =
        router_.add(method, pattern, handler(std::string(pattern), std::move(parameters)));
    EXPECT_TRUE(added.has_value()) << pattern;
  }
  void refuse(std::string_view pattern, std::string_view message) {
    const Result<void> added = router_.add(Method::kGet, pattern, handler("x"));
    ASSERT_FALSE(added.has_value()) << pattern;
    EXPECT_EQ(added.error().code(), ErrorCode::kInvalidArgument);
    EXPECT_EQ(added.error().message(), message);
  }
  Response route(Method method, std::string_view target) {
    RequestHeadPtr head = make_request_head();
    head->method = method;
    head->target = target;
    return run(router_.route(Request(std::move(head))));
  }
  // The body, or the status of an error with its Allow.
  std::string outcome(Method method, std::string_view target) {
    Response response = route(method, target);
    if (response.status() == 200) return std::string(std::get<Bytes>(response.body()).view());
    std::string text = std::to_string(response.status());
    if (auto allow = response.fields().get("allow")) text.append(" ").append(*allow);
    return text;
  }
  std::string get(std::string_view target) { return outcome(Method::kGet, target); }

  Router router_;
};

TEST_F(RouterTest, LiteralsMatchExactly) {
  add(Method::kGet, "/");
  add(Method::kGet, "/a");
  add(Method::kGet, "/a/");
  add(Method::kGet, "/a/b");
  EXPECT_EQ(get("/"), "/");
  EXPECT_EQ(get("/a"), "/a");
  EXPECT_EQ(get("/a?query=/b"), "/a");
  EXPECT_EQ(get("/a/"), "/a/");
  EXPECT_EQ(get("/a/b"), "/a/b");
  EXPECT_EQ(get("/a/b/"), "404");
  EXPECT_EQ(get("/A"), "404");
  EXPECT_EQ(get("/b"), "404");
  EXPECT_EQ(get("/a/b/c"), "404");
}

TEST_F(RouterTest, AParameterMatchesOneSegmentDecoded) {
  add(Method::kGet, "/u/{id}", {"id"});
  add(Method::kGet, "/u/{id}/p/{post}", {"id", "post"});
  EXPECT_EQ(get("/u/7"), "/u/{id} id=7");
  EXPECT_EQ(get("/u/a%20b%2Fc"), "/u/{id} id=a b/c");
  EXPECT_EQ(get("/u/7/p/x%25"), "/u/{id}/p/{post} id=7 post=x%");
  EXPECT_EQ(get("/u/"), "404");
  EXPECT_EQ(get("/u/7/"), "404");
  EXPECT_EQ(get("/u/7/q/8"), "404");
}

TEST_F(RouterTest, AStarMatchesTheRest) {
  add(Method::kGet, "/f/*", {"*"});
  EXPECT_EQ(get("/f/"), "/f/* *=");
  EXPECT_EQ(get("/f/a"), "/f/* *=a");
  EXPECT_EQ(get("/f/a/b%20c/"), "/f/* *=a/b c/");
  EXPECT_EQ(get("/f"), "404");
}

TEST_F(RouterTest, TheMoreLiteralPatternWinsSegmentBySegment) {
  add(Method::kGet, "/*", {"*"});
  add(Method::kGet, "/a/*", {"*"});
  add(Method::kGet, "/a/{x}", {"x"});
  add(Method::kGet, "/a/b");
  add(Method::kGet, "/{x}/b/c", {"x"});
  EXPECT_EQ(get("/a/b"), "/a/b");
  EXPECT_EQ(get("/a/c"), "/a/{x} x=c");
  EXPECT_EQ(get("/a/b/c"), "/a/* *=b/c");
  EXPECT_EQ(get("/z/b/c"), "/{x}/b/c x=z");
  EXPECT_EQ(get("/z/b"), "/* *=z/b");
  EXPECT_EQ(get("/"), "/* *=");
}

TEST_F(RouterTest, PatternsMayNameTheSamePlaceDifferently) {
  add(Method::kGet, "/{a}/x", {"a"});
  add(Method::kGet, "/{b}/y", {"b"});
  add(Method::kPost, "/{c}/x", {"c"});
  EXPECT_EQ(get("/1/x"), "/{a}/x a=1");
  EXPECT_EQ(get("/1/y"), "/{b}/y b=1");
  EXPECT_EQ(outcome(Method::kPost, "/1/x"), "/{c}/x c=1");
}

TEST_F(RouterTest, OtherMethodsAreAnswered405WithAllow) {
  add(Method::kGet, "/a");
  add(Method::kPut, "/a");
  add(Method::kDelete, "/{x}", {"x"});
  EXPECT_EQ(outcome(Method::kPost, "/a"), "405 GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(outcome(Method::kPost, "/b"), "405 DELETE, OPTIONS");
  EXPECT_EQ(outcome(Method::kOther, "/a"), "405 GET, HEAD, PUT, DELETE, OPTIONS");
  EXPECT_EQ(outcome(Method::kPost, "/a/b"), "404");
}

TEST_F(RouterTest, ALessLiteralPatternTakesAMethodThatTheMoreLiteralLacks) {
  add(Method::kPost, "/a");
  add(Method::kGet, "/{x}", {"x"});
  EXPECT_EQ(get("/a"), "/{x} x=a");
}

TEST_F(RouterTest, HeadIsServedByGetUnlessItHasItsOwn) {
  add(Method::kGet, "/a");
  add(Method::kGet, "/b");
  ASSERT_TRUE(router_.add(Method::kHead, "/b", handler("head")));
  EXPECT_EQ(outcome(Method::kHead, "/a"), "/a");
  EXPECT_EQ(outcome(Method::kHead, "/b"), "head");
}

TEST_F(RouterTest, OptionsIsAnsweredWithAllowUnlessItHasItsOwn) {
  add(Method::kGet, "/a");
  add(Method::kOptions, "/b");
  EXPECT_EQ(outcome(Method::kOptions, "/a"), "204 GET, HEAD, OPTIONS");
  EXPECT_EQ(outcome(Method::kOptions, "/b"), "/b");
}

TEST_F(RouterTest, TheFallbackTakesWhatNoPatternMatches) {
  EXPECT_EQ(get("/a"), "404");
  router_.set_fallback(handler("fallback"));
  EXPECT_EQ(get("/a"), "fallback");
  EXPECT_EQ(outcome(Method::kOptions, "*"), "fallback");
  add(Method::kGet, "/a");
  EXPECT_EQ(get("/a"), "/a");
  EXPECT_EQ(get("/b"), "fallback");
  EXPECT_EQ(get("/%zz"), "fallback");
  EXPECT_EQ(outcome(Method::kPost, "/a"), "405 GET, HEAD, OPTIONS");
}

TEST_F(RouterTest, MalformedPathsAre400) {
  add(Method::kGet, "/*", {"*"});
  for (const char* target : {"/%", "/%zz", "/a/%1", "/..", "/a/../..", "/%2e%2e/x", "*", "", "a"}) {
    EXPECT_EQ(get(target), "400") << target;
  }
}

TEST_F(RouterTest, DotSegmentsAndRepeatedSlashesAreRemovedFirst) {
  add(Method::kGet, "/a/{x}", {"x"});
  add(Method::kGet, "/");
  EXPECT_EQ(get("//a///b"), "/a/{x} x=b");
  EXPECT_EQ(get("/z/../a/./b"), "/a/{x} x=b");
  EXPECT_EQ(get("/a/%2e%2e/a/b"), "/a/{x} x=b");
  EXPECT_EQ(get("/a/.."), "/");
  EXPECT_EQ(get("/a/."), "404");
}

TEST_F(RouterTest, MalformedPatternsAreRefused) {
  refuse("", "route \"\": does not begin with \"/\"");
  refuse("a", "route \"a\": does not begin with \"/\"");
  refuse("/a//b", "route \"/a//b\": has an empty segment");
  refuse("/*/b", "route \"/*/b\": has \"*\" before its end");
  refuse("/a/../b", "route \"/a/../b\": has a dot segment");
  refuse("/a{b}", "route \"/a{b}\": has \"{\", \"}\" or \"*\" within a segment");
  refuse("/{}", "route \"/{}\": has \"{\", \"}\" or \"*\" within a segment");
  refuse("/a*", "route \"/a*\": has \"{\", \"}\" or \"*\" within a segment");
  refuse("/a?b", "route \"/a?b\": has a query or a fragment");
  refuse("/{x}/{x}", "route \"/{x}/{x}\": uses one parameter name twice");
  EXPECT_FALSE(router_.add(Method::kGet, "/a", nullptr).has_value());
  add(Method::kGet, "/{x}");
  refuse("/{y}", "route \"/{y}\": is taken for that method");
}

TEST_F(RouterTest, AHandlerThatThrowsBeforeItsTaskFailsInItsTask) {
  ASSERT_TRUE(router_.add(Method::kGet, "/a",
                          [](Request) -> task::Task<Response> { throw std::runtime_error("no"); }));
  RequestHeadPtr head = make_request_head();
  head->target = "/a";
  task::Task<Response> task = router_.route(Request(std::move(head)));
  EXPECT_THROW(run(std::move(task)), std::runtime_error);
}

TEST_F(RouterTest, MayBeMoved) {
  add(Method::kGet, "/a");
  Router moved = std::move(router_);
  router_ = std::move(moved);
  EXPECT_EQ(get("/a"), "/a");
}

}  // namespace
}  // namespace perch::http
