// A directory to serve, and a cache on it whose time the test advances by hand.
#pragma once

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "server/files/file_cache.h"

namespace perch::server {

using http::Method;
using FieldLines = std::vector<std::pair<std::string_view, std::string_view>>;

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "perch-files-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  std::string string() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Times of files are set explicitly, so that heads are exact and two states of a file differ.
inline void set_time(const std::filesystem::path& path, std::int64_t unix_seconds,
                     long nanoseconds = 0) {
  const timespec at{.tv_sec = unix_seconds, .tv_nsec = nanoseconds};
  const timespec times[2] = {at, at};
  EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

inline constexpr std::int64_t kFileTime = 784111777;  // Sun, 06 Nov 1994 08:49:37 GMT

// Writes in place, or makes, the file.
inline void write_file(const std::filesystem::path& path, std::string_view content,
                       std::int64_t unix_seconds = kFileTime) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  set_time(path, unix_seconds);
}

inline http::Request make_request(std::string_view target, Method method = Method::kGet,
                                  const FieldLines& fields = {}, std::string_view scheme = "http") {
  http::RequestHeadPtr head = http::make_request_head();
  head->scheme = scheme;
  head->method = method;
  head->target = target;
  for (const auto& [name, value] : fields) head->fields.add(name, value);
  return http::Request(std::move(head));
}

// "200 content-type=...; etag=..."
inline std::string shown_head(const http::Response& response) {
  std::string text = std::to_string(response.status());
  const char* separator = " ";
  const auto append = [&](const http::Fields& fields) {
    for (const http::Field& field : fields) {
      text.append(separator).append(field.name).append("=").append(field.value);
      separator = "; ";
    }
  };
  if (response.prepared() != nullptr) append(response.prepared()->fields());
  append(response.fields());
  return text;
}

inline std::string field_of(const http::Response& response, std::string_view name) {
  if (response.prepared() != nullptr) {
    if (const auto value = response.prepared()->fields().get(name)) return std::string(*value);
  }
  return std::string(response.fields().get(name).value_or(""));
}

// The whole body; nothing where a stream fails.
inline std::optional<std::string> body_of(http::Response& response) {
  if (auto* bytes = std::get_if<Bytes>(&response.body())) return std::string(bytes->view());
  auto* source = std::get_if<std::unique_ptr<http::BodySource>>(&response.body());
  if (source == nullptr) return "";
  std::string all;
  for (;;) {
    const http::PullResult pulled = (*source)->pull(1 << 20);
    all.append(pulled.data.view());
    if (pulled.kind == http::PullResult::Kind::kFailed) return std::nullopt;
    if (pulled.kind == http::PullResult::Kind::kEnd || pulled.last) return all;
  }
}

class FileCacheTest : public testing::Test {
 protected:
  // Drops the cache; the next request makes one with the options of now.
  void reopen() { cache_.reset(); }
  FileCache& cache() {
    if (cache_ == nullptr) {
      root_.emplace(DocumentRoot::open(directory_.string(), options_.symlinks).value());
      cache_ = std::make_unique<FileCache>(*root_, options_);
    }
    return *cache_;
  }

  http::Response ask(std::string_view target, Method method = Method::kGet,
                     const FieldLines& fields = {}) {
    return cache().answer(make_request(target, method, fields), now_);
  }
  int status(std::string_view target, Method method = Method::kGet, const FieldLines& fields = {}) {
    return ask(target, method, fields).status();
  }
  std::optional<std::string> body(std::string_view target, const FieldLines& fields = {}) {
    http::Response response = ask(target, Method::kGet, fields);
    return body_of(response);
  }
  std::string field(std::string_view target, std::string_view name, const FieldLines& fields = {}) {
    return field_of(ask(target, Method::kGet, fields), name);
  }
  void pass(Duration time) { now_ = now_ + time; }

  TemporaryDirectory directory_;
  FileOptions options_;
  Instant now_{1'000'000'000'000};

 private:
  std::optional<DocumentRoot> root_;
  std::unique_ptr<FileCache> cache_;
};

}  // namespace perch::server
