// Field compression: what a response head, a request and a parked connection cost.
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "perch/http2/hpack.h"

namespace perch::http2 {
namespace {

using Field = std::pair<std::string, std::string>;
using Bytes = std::vector<std::byte>;

const std::vector<Field> kHead = {{":status", "200"},
                                  {"content-type", "text/html; charset=utf-8"},
                                  {"content-length", "16384"},
                                  {"etag", "\"5f3a-1c2d3e4f5a6b7c8d\""},
                                  {"last-modified", "Mon, 30 Nov 2026 10:00:00 GMT"},
                                  {"cache-control", "public, max-age=3600"},
                                  {"accept-ranges", "bytes"}};

const std::vector<Field> kBrowserFields = {
    {":authority", "www.example.com"},
    {"user-agent", "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"},
    {"accept", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"},
    {"accept-language", "en-US,en;q=0.5"},
    {"accept-encoding", "gzip, deflate, br, zstd"},
    {"cookie", "session=0123456789abcdef0123456789abcdef"},
    {"referer", "https://www.example.com/"},
    {"sec-fetch-dest", "document"},
    {"sec-fetch-mode", "navigate"},
    {"sec-fetch-site", "same-origin"},
    {"sec-fetch-user", "?1"},
    {"upgrade-insecure-requests", "1"},
    {"priority", "u=0, i"},
    {"te", "trailers"},
    {"dnt", "1"}};

struct Discard final : FieldSink {
  void on_field(std::string_view name, std::string_view value, bool /*never_index*/) override {
    benchmark::DoNotOptimize(name.data());
    benchmark::DoNotOptimize(value.data());
  }
};

void encode(HpackEncoder& encoder, const std::vector<Field>& fields, Bytes& out) {
  encoder.begin_block(out);
  for (const auto& [name, value] : fields) {
    encoder.encode(name, value, HpackEncoder::Indexing::kIncremental, out);
  }
}

void encode_first_head(benchmark::State& state) {
  Bytes out;
  for (auto _ : state) {
    out.clear();
    HpackEncoder encoder;
    encode(encoder, kHead, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["octets"] = static_cast<double>(out.size());
}
BENCHMARK(encode_first_head);

void encode_repeated_head(benchmark::State& state) {
  Bytes out;
  HpackEncoder encoder;
  encode(encoder, kHead, out);
  for (auto _ : state) {
    out.clear();
    encode(encoder, kHead, out);
    benchmark::DoNotOptimize(out.data());
  }
  state.counters["octets"] = static_cast<double>(out.size());
}
BENCHMARK(encode_repeated_head);

Bytes first_request(std::size_t fields) {
  HpackEncoder encoder;
  Bytes out;
  encode(encoder, {kBrowserFields.begin(), kBrowserFields.begin() + static_cast<long>(fields)},
         out);
  return out;
}

void decode_indexed_request(benchmark::State& state) {
  Discard sink;
  HpackDecoder decoder;
  if (!decoder.decode(first_request(2), true, sink)) state.SkipWithError("first request");
  // GET, https, /, and both entries of the table.
  constexpr std::byte kRequest[] = {std::byte{0x82}, std::byte{0x87}, std::byte{0x84},
                                    std::byte{0xbf}, std::byte{0xbe}};
  for (auto _ : state) {
    if (!decoder.decode(kRequest, true, sink)) state.SkipWithError("decode");
  }
}
BENCHMARK(decode_indexed_request);

void park_decoder(benchmark::State& state) {
  Discard sink;
  HpackDecoder decoder;
  if (!decoder.decode(first_request(static_cast<std::size_t>(state.range(0))), true, sink)) {
    state.SkipWithError("first request");
  }
  Bytes blob;
  for (auto _ : state) {
    blob.clear();
    decoder.park(blob);
    benchmark::DoNotOptimize(blob.data());
  }
  state.counters["blob_bytes"] = static_cast<double>(blob.size());
}
BENCHMARK(park_decoder)->Arg(6)->Arg(15);

// With the block that wakes it, one indexed field, and the end of the inflater.
void restore_decoder(benchmark::State& state) {
  Discard sink;
  HpackDecoder decoder;
  if (!decoder.decode(first_request(static_cast<std::size_t>(state.range(0))), true, sink)) {
    state.SkipWithError("first request");
  }
  Bytes blob;
  decoder.park(blob);
  constexpr std::byte kBlock[] = {std::byte{0xbe}};
  for (auto _ : state) {
    HpackDecoder restored(kDefaultHeaderTableSize, blob);
    if (!restored.decode(kBlock, true, sink)) state.SkipWithError("decode");
  }
}
BENCHMARK(restore_decoder)->Arg(6)->Arg(15);

}  // namespace
}  // namespace perch::http2
