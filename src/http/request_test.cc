#include "perch/http/request.h"

#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace perch::http {
namespace {

Request make(std::string_view target, Method method = Method::kGet) {
  RequestHeadPtr head = make_request_head();
  head->method = method;
  head->target = target;
  return Request(std::move(head));
}

TEST(Request, PathAndQueryAreTheTwoPartsOfTheTarget) {
  EXPECT_EQ(make("/a/b?c=d?e").path(), "/a/b");
  EXPECT_EQ(make("/a/b?c=d?e").query(), "c=d?e");
  EXPECT_EQ(make("/a").path(), "/a");
  EXPECT_EQ(make("/a").query(), "");
  EXPECT_EQ(make("/?").path(), "/");
  EXPECT_EQ(make("/?").query(), "");
  EXPECT_EQ(make("*").path(), "*");
}

TEST(Request, MethodTextIsTheTokenThatWasSent) {
  EXPECT_EQ(make("/", Method::kPatch).method_text(), "PATCH");
  RequestHeadPtr head = make_request_head();
  head->method = Method::kOther;
  head->method_text = "PROPFIND";
  EXPECT_EQ(Request(std::move(head)).method_text(), "PROPFIND");
}

TEST(Request, ParametersAreFoundByName) {
  Request request = make("/");
  EXPECT_EQ(request.parameter("id"), "");
  request.set_parameter("id", "1");
  request.set_parameter("name", "x");
  request.set_parameter("id", "2");
  EXPECT_EQ(request.parameter("id"), "2");
  EXPECT_EQ(request.parameter("name"), "x");
}

TEST(RequestHead, ARecycledHeadIsEmptyAndKeepsItsCapacity) {
  RequestHead* first = nullptr;
  std::size_t capacity = 0;
  {
    RequestHeadPtr head = make_request_head();
    first = head.get();
    head->method = Method::kPost;
    head->method_text = "x";
    head->scheme = "https";
    head->authority = "host";
    head->target = std::string(200, 't');
    head->fields.add("a", "b");
    head->content_length = 7;
    capacity = head->target.capacity();
  }
  RequestHeadPtr again = make_request_head();
  EXPECT_EQ(again.get(), first);
  EXPECT_EQ(again->method, Method::kGet);
  EXPECT_EQ(again->method_text + again->scheme + again->authority + again->target, "");
  EXPECT_TRUE(again->fields.empty());
  EXPECT_EQ(again->content_length, std::nullopt);
  EXPECT_EQ(again->target.capacity(), capacity);
}

TEST(RequestHead, ALargeHeadIsNotKept) {
  {
    RequestHeadPtr small = make_request_head();
  }
  RequestHeadPtr large = make_request_head();
  large->fields.add("cookie", std::string(9000, 'c'));
  large.reset();
  EXPECT_LT(make_request_head()->fields.capacity_bytes(), 9000u);
}

TEST(RequestHead, AtMost256AreKept) {
  std::thread([] {
    std::vector<RequestHeadPtr> heads;
    for (int i = 0; i < 300; ++i) heads.push_back(make_request_head());
    for (RequestHeadPtr& head : heads) head->target.reserve(100);  // marks it as used
    heads.clear();
    int used = 0;
    for (int i = 0; i < 300; ++i) {
      heads.push_back(make_request_head());
      if (heads.back()->target.capacity() >= 100) ++used;
    }
    EXPECT_EQ(used, 256);
  }).join();
}

TEST(RequestHead, MayOutliveTheThreadsFreeList) {
  std::thread([] {
    // Constructed first, so destroyed after the list.
    thread_local RequestHeadPtr kept;
    EXPECT_EQ(kept.get(), nullptr);
    kept = make_request_head();
  }).join();
}

}  // namespace
}  // namespace perch::http
