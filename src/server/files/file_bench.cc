// The hit path of the file cache: what each response costs beyond the protocol.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <benchmark/benchmark.h>

#include "server/files/file_cache.h"

namespace perch::server {
namespace {

namespace fs = std::filesystem;

class Site {
 public:
  explicit Site(FileOptions options = {}) : options_(std::move(options)) {
    std::string name = (fs::temp_directory_path() / "perch-bench-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
    for (int i = 0; i < 500; ++i) write("page" + std::to_string(i) + ".html", 13);
    write("index.html", 13);
    write("large.bin", 1 << 20);
    write("index.html.gz", 9);
    write("index.html.br", 8);
    root_.emplace(std::move(DocumentRoot::open(name).value()));
    cache_.emplace(*root_, options_);
  }
  ~Site() { fs::remove_all(path_); }

  FileCache& cache() { return *cache_; }

 private:
  void write(const std::string& file, std::size_t size) {
    std::ofstream(path_ / file) << std::string(size, 'x');
  }

  fs::path path_;
  FileOptions options_;
  std::optional<DocumentRoot> root_;
  std::optional<FileCache> cache_;
};

http::Request make_request(std::string_view target) {
  http::RequestHeadPtr head = http::make_request_head();
  head->target = target;
  head->fields.add("user-agent", "h2load nghttp2/1.52.0");
  return http::Request(std::move(head));
}

void answer(benchmark::State& state, FileCache& cache, const http::Request& request, Instant now) {
  for (auto _ : state) benchmark::DoNotOptimize(cache.answer(request, now));
}

void hit(benchmark::State& state) {
  Site site;
  answer(state, site.cache(), make_request("/index.html"), Instant(0));
}
BENCHMARK(hit);

void hit_not_modified(benchmark::State& state) {
  Site site;
  const http::Response first = site.cache().answer(make_request("/index.html"), Instant(0));
  http::RequestHeadPtr head = http::make_request_head();
  head->target = "/index.html";
  head->fields.add("if-none-match", *first.prepared()->fields().get("etag"));
  answer(state, site.cache(), http::Request(std::move(head)), Instant(0));
}
BENCHMARK(hit_not_modified);

void hit_of_500_in_turn(benchmark::State& state) {
  Site site;
  std::vector<http::Request> requests;
  for (int i = 0; i < 500; ++i) {
    requests.push_back(make_request("/page" + std::to_string(i) + ".html"));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(site.cache().answer(requests[next], Instant(0)));
    if (++next == requests.size()) next = 0;
  }
}
BENCHMARK(hit_of_500_in_turn);

void hit_precompressed(benchmark::State& state) {
  Site site({.precompressed = {http::ContentCoding::kBrotli, http::ContentCoding::kGzip}});
  http::RequestHeadPtr head = http::make_request_head();
  head->target = "/index.html";
  head->fields.add("accept-encoding", "gzip, deflate, br, zstd");
  answer(state, site.cache(), http::Request(std::move(head)), Instant(0));
}
BENCHMARK(hit_precompressed);

void hit_range(benchmark::State& state) {
  Site site;
  http::RequestHeadPtr head = http::make_request_head();
  head->target = "/index.html";
  head->fields.add("range", "bytes=0-4");
  answer(state, site.cache(), http::Request(std::move(head)), Instant(0));
}
BENCHMARK(hit_range);

void hit_missing(benchmark::State& state) {
  Site site;
  answer(state, site.cache(), make_request("/missing"), Instant(0));
}
BENCHMARK(hit_missing);

void hit_other_spelling(benchmark::State& state) {
  Site site;
  answer(state, site.cache(), make_request("/%69ndex.html"), Instant(0));
}
BENCHMARK(hit_other_spelling);

// Once a second for each entry in use.
void revalidate(benchmark::State& state) {
  Site site;
  const http::Request request = make_request("/index.html");
  Instant now;
  for (auto _ : state) {
    now = now + std::chrono::seconds(1);
    benchmark::DoNotOptimize(site.cache().answer(request, now));
  }
}
BENCHMARK(revalidate);

void stream(benchmark::State& state) {
  Site site;
  const http::Request request = make_request("/large.bin");
  for (auto _ : state) {
    http::Response response = site.cache().answer(request, Instant(0));
    auto& source = std::get<std::unique_ptr<http::BodySource>>(response.body());
    while (!source->pull(16 << 10).last) {
    }
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) << 20);
}
BENCHMARK(stream);

}  // namespace
}  // namespace perch::server
