// perchd: serves the files below one directory over HTTP/2.
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "perch/net/signals.h"
#include "perch/server/file_service.h"
#include "perch/server/server.h"
#include "perchd/config.h"
#include "perchd/preflight.h"

namespace {

using namespace perch;

constexpr int kCannotServe = 1;

spdlog::level::level_enum spdlog_level(perchd::LogLevel level) {
  switch (level) {
    case perchd::LogLevel::kTrace:
      return spdlog::level::trace;
    case perchd::LogLevel::kDebug:
      return spdlog::level::debug;
    case perchd::LogLevel::kInfo:
      return spdlog::level::info;
    case perchd::LogLevel::kWarning:
      return spdlog::level::warn;
    case perchd::LogLevel::kError:
      return spdlog::level::err;
    case perchd::LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

void log_line(server::LogLevel level, std::string_view line) {
  switch (level) {
    case server::LogLevel::kDebug:
      return spdlog::debug(line);
    case server::LogLevel::kInfo:
      return spdlog::info(line);
    case server::LogLevel::kWarning:
      return spdlog::warn(line);
    case server::LogLevel::kError:
      return spdlog::error(line);
  }
}

server::ServerOptions server_options(const perchd::Config& config) {
  server::ServerOptions options;
  options.workers = config.workers;
  options.parking = config.parking;
  options.parking_grace = config.timeouts.parking_grace;
  options.parking_grace_max = config.timeouts.parking_grace_max;
  options.idle_timeout = config.timeouts.http2_idle;
  options.write_stall_timeout = config.timeouts.write_stall;
  options.minimum_rate = config.limits.minimum_rate;
  options.partial_frame_timeout = config.timeouts.partial_frame;
  options.reserved_descriptors = static_cast<std::uint32_t>(perchd::reserved_descriptors(config));
  options.http2.max_concurrent_streams = config.limits.concurrent_streams;
  options.http2.header_bytes = static_cast<std::uint32_t>(config.limits.header_bytes);
  options.http2.header_fields = config.limits.header_fields;
  options.http2.continuation_frames = config.limits.continuation_frames;
  options.http2.queued_control_frames = config.limits.queued_control_frames;
  options.http2.resets_per_window = config.limits.resets_per_10s;
  options.http2.useless_frames_per_window = config.limits.useless_frames_per_10s;
  options.http2.settings_ack_timeout = config.timeouts.settings_ack;
  options.http2.header_timeout = config.timeouts.headers;
  options.log = log_line;
  return options;
}

server::FileOptions file_options(const perchd::Config& config) {
  server::FileOptions options;
  options.root = config.root;
  options.cached_entries = config.file_cache.files;
  options.cached_body_bytes = config.file_cache.memory;
  options.largest_cached_body = config.file_cache.largest_body;
  options.open_files = config.file_cache.open_files;
  options.revalidate_after = config.file_cache.revalidate;
  return options;
}

// Resident memory of this process, in KiB.
std::size_t resident_kib() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && status >> kib) return kib;
  }
  return 0;
}

int complain(const Error& error) {
  fmt::print(stderr, "perchd: {}\n", error.message());
  return kCannotServe;
}

// Returns once SIGINT or SIGTERM has arrived.
void wait_for_the_end() {
  for (;;) {
    const std::optional<net::Signal> signal = net::wait_for_signal(Deadline::never());
    if (signal == net::Signal::kInterrupt || signal == net::Signal::kTerminate) return;
  }
}

int serve(const perchd::Config& config) {
  if (auto mistake = perchd::check_root(config)) {
    fmt::print(stderr, "{}\n", perchd::to_string(*mistake));
    return kCannotServe;
  }
  auto files = server::FileService::open(file_options(config));
  if (!files) return complain(files.error());
  server::Server server(server_options(config));
  server.set_fallback(
      [&service = **files](http::Request request) { return service.serve(std::move(request)); });
  for (const std::string& url : config.listen) {
    if (auto listening = server.listen(url); !listening) return complain(listening.error());
  }
  if (auto started = server.start(); !started) return complain(started.error());

  for (const std::string& url : server.urls()) fmt::print("perchd listens on {}\n", url);
  fmt::print("perchd serves {} over HTTP/2 with prior knowledge, to at most {} connections\n",
             config.root, server.max_connections());
  std::fflush(stdout);

  wait_for_the_end();
  const server::ServerStatistics at_end = server.statistics();
  const std::size_t resident = resident_kib();
  fmt::print("perchd drains for up to {} s; a second signal ends it at once\n",
             std::chrono::duration_cast<std::chrono::seconds>(config.timeouts.drain).count());
  std::fflush(stdout);
  const auto second_signal = [] {
    return net::wait_for_signal(Deadline::at(Instant::now())).has_value();
  };
  const bool clean = server.drain(Deadline::after(config.timeouts.drain), second_signal);
  fmt::print("connections served {}, parked {} now and {} at most, requests {}, RSS {:.1f} MiB{}\n",
             at_end.accepted, at_end.parked, at_end.parked_at_most, server.statistics().requests,
             static_cast<double>(resident) / 1024, clean ? "" : "; some connections were cut off");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  net::block_signals();
  const auto invocation = perchd::load(argc, argv);
  if (const std::optional<int> code = perchd::finish_early(invocation)) return *code;
  spdlog::set_default_logger(spdlog::stderr_color_mt("perchd"));
  spdlog::set_level(spdlog_level(invocation->config.log_level));
  try {
    return serve(invocation->config);
  } catch (const std::exception& exception) {
    fmt::print(stderr, "perchd: {}\n", exception.what());
    return kCannotServe;
  }
}
