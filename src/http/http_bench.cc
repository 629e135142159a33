#include <benchmark/benchmark.h>

#include "perch/http/conditional.h"
#include "perch/http/date.h"
#include "perch/http/fields.h"
#include "perch/http/media_type.h"
#include "perch/http/path.h"
#include "perch/http/request.h"
#include "perch/http/router.h"

namespace perch::http {
namespace {

// A browser's request.
void fill(Fields& fields) {
  fields.add("user-agent",
             "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0");
  fields.add("accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8");
  fields.add("accept-language", "en-GB,en;q=0.5");
  fields.add("accept-encoding", "gzip, deflate, br, zstd");
  fields.add("upgrade-insecure-requests", "1");
  fields.add("sec-fetch-dest", "document");
  fields.add("sec-fetch-mode", "navigate");
  fields.add("sec-fetch-site", "none");
}

void fields_refill(benchmark::State& state) {
  Fields fields;
  for (auto _ : state) {
    fields.clear();
    fill(fields);
    benchmark::DoNotOptimize(fields);
  }
}
BENCHMARK(fields_refill);

void fields_validate(benchmark::State& state) {
  Fields fields;
  fill(fields);
  for (auto _ : state) {
    for (const Field& field : fields) {
      benchmark::DoNotOptimize(valid_field(field.name, field.value));
    }
  }
}
BENCHMARK(fields_validate);

void request_head_recycle(benchmark::State& state) {
  for (auto _ : state) {
    Request request(make_request_head());
    benchmark::DoNotOptimize(request);
  }
}
BENCHMARK(request_head_recycle);

void conditional_none(benchmark::State& state) {
  Fields fields;
  fill(fields);
  const Validators validators{"\"0123456789a\"", 784111777};
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluate(Method::kGet, fields, validators, 1796000000));
  }
}
BENCHMARK(conditional_none);

void date_format(benchmark::State& state) {
  std::int64_t at = 784111777;
  for (auto _ : state) benchmark::DoNotOptimize(format_date(at++));
}
BENCHMARK(date_format);

void date_parse(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(parse_date("Sun, 06 Nov 1994 08:49:37 GMT", 1796000000));
  }
}
BENCHMARK(date_parse);

void path_decode(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(decode_path("/assets/css/../a%20b/style.css"));
}
BENCHMARK(path_decode);

void media_type(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(media_type_of("/assets/style.css"));
}
BENCHMARK(media_type);

task::Task<Response> nothing() { return {}; }

void route_fallback(benchmark::State& state) {
  Router router;
  router.set_fallback([](Request) { return nothing(); });
  for (auto _ : state) benchmark::DoNotOptimize(router.route(Request(make_request_head())));
}
BENCHMARK(route_fallback);

void route_parameter(benchmark::State& state) {
  Router router;
  for (const char* pattern : {"/", "/users", "/users/{id}", "/users/{id}/posts/{post}", "/*"}) {
    if (!router.add(Method::kGet, pattern, [](Request) { return nothing(); })) std::abort();
  }
  for (auto _ : state) {
    RequestHeadPtr head = make_request_head();
    head->target = "/users/17/posts/42";
    benchmark::DoNotOptimize(router.route(Request(std::move(head))));
  }
}
BENCHMARK(route_parameter);

}  // namespace
}  // namespace perch::http
