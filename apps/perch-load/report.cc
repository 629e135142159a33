#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "perch-load/run_result.h"

namespace perch::load {
namespace {

// 12345678 -> "12,345,678".
std::string grouped(std::uint64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string milliseconds(Duration duration) {
  return fmt::format("{:.2f} ms", static_cast<double>(duration.count()) / 1e6);
}

std::vector<Duration> sorted(std::vector<Duration> latencies) {
  std::ranges::sort(latencies);
  return latencies;
}

// Bytes per connection over the first sample; signed.
std::int64_t per_connection(std::uint64_t now, std::uint64_t before, std::size_t connections) {
  return (static_cast<std::int64_t>(now) - static_cast<std::int64_t>(before)) /
         static_cast<std::int64_t>(connections);
}

class Text {
 public:
  std::string take() && { return std::move(text_); }

  void line(std::string_view name, const std::string& value) {
    text_ += fmt::format("{:<13}{}\n", name, value);
  }
  void reasons(const RunResult::Counts& counts) {
    for (const auto& [reason, count] : counts)
      line("", fmt::format("{:>9}  {}", grouped(count), reason));
  }

  void memory(const RunOptions& options, const std::vector<MemorySample>& samples) {
    line(fmt::format("pid {}", *options.pid),
         fmt::format("{:>13}  {:>13}   per connection:  {:>10}  {:>10}", "RSS + swap", "anonymous",
                     "RSS + swap", "anonymous"));
    for (const MemorySample& sample : samples) {
      if (!sample.memory) {
        line("  " + sample.when, "the process is gone, or hides its memory");
        continue;
      }
      std::string value = fmt::format("{:>11} B  {:>11} B", grouped(sample.memory->total()),
                                      grouped(sample.memory->anonymous()));
      const auto& before = samples.front().memory;
      if (before && sample.connections != 0) {
        value += fmt::format(
            "                    {:>8} B  {:>8} B",
            per_connection(sample.memory->total(), before->total(), sample.connections),
            per_connection(sample.memory->anonymous(), before->anonymous(), sample.connections));
      }
      line("  " + sample.when, value);
    }
  }

 private:
  std::string text_;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class Map>
std::string json_counts(const Map& counts) {
  std::string out = "{";
  for (const auto& [key, count] : counts) {
    if (out.size() > 1) out += ", ";
    out += fmt::format("{}: {}", quoted(fmt::format("{}", key)), count);
  }
  return out + "}";
}

std::string json_memory(const std::vector<MemorySample>& samples) {
  std::string out = "[";
  for (const MemorySample& sample : samples) {
    if (out.size() > 1) out += ", ";
    out +=
        fmt::format("{{\"when\": {}, \"connections\": {}", quoted(sample.when), sample.connections);
    if (const auto& memory = sample.memory) {
      out += fmt::format(", \"rss_bytes\": {}, \"swap_bytes\": {}, \"rss_anonymous_bytes\": {}",
                         memory->resident, memory->swapped, memory->resident_anonymous);
      const auto& before = samples.front().memory;
      if (before && sample.connections != 0) {
        out += fmt::format(
            ", \"rss_and_swap_per_connection\": {}, \"anonymous_per_connection\": {}",
            per_connection(memory->total(), before->total(), sample.connections),
            per_connection(memory->anonymous(), before->anonymous(), sample.connections));
      }
    }
    out += "}";
  }
  return out + "]";
}

}  // namespace

std::string report_text(const RunOptions& options, const RunResult& result) {
  Text text;
  text.line("connections", fmt::format("{} asked for, {} opened in {:.2f} s, {} held",
                                       grouped(options.connections), grouped(result.opened),
                                       static_cast<double>(result.opening_time.count()) / 1e9,
                                       grouped(result.held)));
  for (const auto& [protocol, count] : result.protocols) {
    text.line("protocol", result.protocols.size() == 1
                              ? protocol
                              : fmt::format("{:>9}  {}", grouped(count), protocol));
  }
  if (const std::size_t count = total(result.not_opened); count != 0) {
    text.line("not opened", grouped(count));
    text.reasons(result.not_opened);
  }
  text.line("closed", fmt::format("{} by the server", grouped(total(result.lost))));
  text.reasons(result.lost);
  std::string statuses;
  for (const auto& [status, count] : result.statuses) {
    statuses +=
        fmt::format("{}{} with status {}", statuses.empty() ? "" : ", ", grouped(count), status);
  }
  text.line("answers", statuses.empty() ? "none" : statuses);
  text.line("probes", fmt::format("{} sent, {} answered as before", grouped(result.probes),
                                  grouped(result.latencies.size())));
  if (!result.latencies.empty()) {
    const auto latencies = sorted(result.latencies);
    text.line(
        "latency",
        fmt::format("p50 {}, p99 {}, max {}", milliseconds(percentile(latencies, 0.5)),
                    milliseconds(percentile(latencies, 0.99)), milliseconds(latencies.back())));
  }
  if (const std::size_t count = total(result.wrong_answers); count != 0) {
    text.line("wrong", fmt::format("{} answers", grouped(count)));
    text.reasons(result.wrong_answers);
  }
  if (!result.memory.empty()) text.memory(options, result.memory);
  text.line("result", result.interrupted ? "interrupted" : result.good() ? "good" : "not good");
  return std::move(text).take();
}

std::string report_json(const RunOptions& options, const RunResult& result) {
  const auto latencies = sorted(result.latencies);
  const auto microseconds = [](Duration duration) { return duration.count() / 1000; };
  std::string out = "{\n";
  const auto member = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {}: {},\n", quoted(name), value);
  };
  member("url", quoted(options.url_text));
  member("fields", options.fields == FieldSet::kBare ? "\"bare\"" : "\"browser\"");
  member("connections", std::to_string(options.connections));
  member("protocols", json_counts(result.protocols));
  member("opened", std::to_string(result.opened));
  member("held", std::to_string(result.held));
  member("opening_ms", std::to_string(result.opening_time.count() / 1'000'000));
  member("not_opened", json_counts(result.not_opened));
  member("closed_by_server", json_counts(result.lost));
  member("statuses", json_counts(result.statuses));
  member("probes", std::to_string(result.probes));
  member("probes_good", std::to_string(latencies.size()));
  member("wrong_answers", json_counts(result.wrong_answers));
  member("latency_us", fmt::format("{{\"p50\": {}, \"p99\": {}, \"max\": {}}}",
                                   microseconds(percentile(latencies, 0.5)),
                                   microseconds(percentile(latencies, 0.99)),
                                   microseconds(percentile(latencies, 1.0))));
  member("memory", json_memory(result.memory));
  member("interrupted", result.interrupted ? "true" : "false");
  out += fmt::format("  \"good\": {}\n}}\n", result.good());
  return out;
}

}  // namespace perch::load
