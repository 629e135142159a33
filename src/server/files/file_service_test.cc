#include "perch/server/file_service.h"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "perch/task/runtime.h"
#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

task::Task<std::string> get(FileService& service, std::string target) {
  task::Task<http::Response> serving = service.serve(make_request(target));
  http::Response response = co_await std::move(serving);
  co_return std::to_string(response.status()) + " " + body_of(response).value_or("failed");
}

TEST(FileService, ServesOnEveryWorker) {
  TemporaryDirectory directory;
  write_file(directory / "index.html", "welcome");
  write_file(directory / "large", std::string(300'000, 'x'));
  auto service = FileService::open({.root = directory.string()}).value();
  task::Runtime runtime({.workers = 2});
  runtime.start();
  EXPECT_EQ(runtime.block_on(get(*service, "/")), "200 welcome");
  EXPECT_EQ(runtime.block_on(get(*service, "/large")), "200 " + std::string(300'000, 'x'));
  EXPECT_EQ(runtime.block_on(get(*service, "/missing")), "404 404 Not Found\n");
  auto elsewhere = task::spawn_on(runtime.worker(1), get(*service, "/"));
  while (!elsewhere.done()) std::this_thread::yield();
  EXPECT_EQ(elsewhere.take(), "200 welcome");
  runtime.stop();
}

TEST(FileService, ServesOneAfterAnotherRuntime) {
  TemporaryDirectory directory;
  write_file(directory / "large", std::string(300'000, 'x'));
  auto service = FileService::open({.root = directory.string()}).value();
  for (int i = 0; i < 3; ++i) {
    task::Runtime runtime({.workers = 1});
    runtime.start();
    EXPECT_EQ(runtime.block_on(get(*service, "/large")), "200 " + std::string(300'000, 'x'));
  }
}

TEST(FileService, RefusesWhatCannotWork) {
  TemporaryDirectory directory;
  const auto code = [](FileOptions options) {
    const auto service = FileService::open(std::move(options));
    return service.has_value() ? std::string("served")
                               : std::string(to_string(service.error().code()));
  };
  const std::string root = directory.string();
  EXPECT_EQ(code({.root = root}), "served");
  EXPECT_EQ(code({.root = root + "/none"}), to_string(ErrorCode::kNotFound));
  EXPECT_EQ(code({.root = "/dev/null"}), to_string(ErrorCode::kInvalidArgument));
  for (const char* index : {"a/b", ".", "..", "/", ".hidden"}) {
    EXPECT_EQ(code({.root = root, .index = index}), to_string(ErrorCode::kInvalidArgument));
  }
}

TEST(FileService, SaysWhichOptionIsWrong) {
  TemporaryDirectory directory;
  const auto message = [&](FileOptions options) {
    options.root = directory.string();
    const auto service = FileService::open(std::move(options));
    return service.has_value() ? std::string("served") : service.error().message();
  };
  using enum http::ContentCoding;
  EXPECT_EQ(message({.precompressed = {kGzip, kBrotli, kZstd},
                     .fallback = "/index.html",
                     .error_pages = {{404, "/.errors/404.html"}},
                     .field_rules = {{.path = "*", .set = {{"cache-control", "no-store"}}}},
                     .redirects = {{.from = "/a", .to = "/b"}},
                     .hsts = "max-age=1"}),
            "served");
  EXPECT_EQ(message({.precompressed = {kGzip, kGzip}}),
            "precompressed: gzip is identity or listed twice");
  EXPECT_EQ(message({.precompressed = {kIdentity}}),
            "precompressed: identity is identity or listed twice");
  for (const char* path : {"index.html", "/", "/a/", "/../a", "/a//b"}) {
    EXPECT_EQ(message({.fallback = path}),
              "fallback: \"" + std::string(path) + "\" is no path of a file from the root");
  }
  EXPECT_EQ(message({.error_pages = {{404, "404.html"}}}),
            "error page: \"404.html\" is no path of a file from the root");
  EXPECT_EQ(message({.error_pages = {{200, "/a"}}}),
            "error page: 200 is not the status of an error");
  EXPECT_EQ(message({.field_rules = {{.path = "x"}}}),
            "field rule x: the path \"x\" begins neither with \"/\" nor with \"*\"");
  EXPECT_EQ(message({.redirects = {{.from = "/a", .to = "/a"}}}),
            "redirect: to \"/a\" is redirected by the same rule again");
  EXPECT_EQ(message({.hsts = "yes"}),
            "\"yes\" is not \"max-age=SECONDS[; includeSubDomains][; preload]\"");
}

}  // namespace
}  // namespace perch::server
