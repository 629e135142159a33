// perch-load: how an HTTP server treats many connections.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "perch-load/attack_run.h"
#include "perch-load/idle_run.h"
#include "perch-load/progress.h"
#include "perch-load/run_options.h"
#include "perch-load/run_result.h"
#include "perch/net/descriptor_limit.h"
#include "perch/net/endpoint.h"
#include "perch/net/reactor.h"

namespace {

using namespace perch;
using namespace perch::load;

constexpr int kGood = 0, kNotGood = 1, kMistake = 2;
constexpr std::uint64_t kOwnDescriptors = 32;  // standard streams, epoll, files of /proc

std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // a signal handler sets it
extern "C" void on_signal(int) { stop.store(true); }

int complain(const std::string& text) {
  fmt::print(stderr, "perch-load: {}\n", text);
  return kMistake;
}

TlsClientOptions tls_options(const RunOptions& options, const std::vector<net::Endpoint>& targets) {
  const bool own_machine = std::ranges::all_of(targets, is_loopback);
  return {
      .host = options.url.host,
      .alpn = options.http1 ? std::vector<std::string>{"http/1.1"}
                            : std::vector<std::string>{"h2", "http/1.1"},
      .max_version = options.tls_max,
      .verify = !options.insecure && (!own_machine || !options.ca_file.empty()),
      .ca_file = options.ca_file,
  };
}

int run(const RunOptions& options) {
  const auto limit = net::raise_descriptor_limit();
  if (!limit) return complain(limit.error().message());
  const std::uint64_t allowed = *limit > kOwnDescriptors ? *limit - kOwnDescriptors : 0;
  if (options.connections > allowed) {
    return complain(
        fmt::format("{} connections are asked for, but the limit of {} descriptors allows {}; "
                    "raise `ulimit -n`, "
                    "or share the load among several perch-load",
                    options.connections, *limit, allowed));
  }
  if (options.pid && !read_process_memory(*options.pid)) {
    return complain(fmt::format("--pid {}: no such process", *options.pid));
  }
  auto targets = net::resolve(options.url.host, options.url.port);
  if (!targets) return complain(targets.error().message());
  std::unique_ptr<const TlsClientContext> tls;
  if (options.url.secure) {
    auto made = TlsClientContext::create(tls_options(options, *targets));
    if (!made) return complain(made.error().message());
    tls = std::move(*made);
  }
  auto reactor = net::Reactor::create();
  if (!reactor) return complain(reactor.error().message());

  const Progress::Style style = Progress::style_of(stderr);
  Progress progress(stderr, style);
  fmt::print(stderr, "perch-load: {} connections to {} ({} descriptors allow {})\n",
             options.connections, options.url_text, *limit, allowed);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  IdleRun idle(**reactor, options, std::move(*targets), std::move(tls), progress, stop);
  const RunResult result = idle.run();
  fmt::print("{}", options.json ? report_json(options, result) : report_text(options, result));
  return result.good() ? kGood : kNotGood;
}

int attack(const AttackOptions& options) {
  if (const auto limit = net::raise_descriptor_limit(); !limit) {
    return complain(limit.error().message());
  }
  auto targets = net::resolve(options.url.host, options.url.port);
  if (!targets) return complain(targets.error().message());
  std::unique_ptr<const TlsClientContext> tls;
  if (options.url.secure) {
    auto made = TlsClientContext::create(
        {.host = options.url.host,
         .alpn = {options.kind->http1 ? std::string("http/1.1") : std::string("h2")},
         .verify = false,
         .ca_file = {}});
    if (!made) return complain(made.error().message());
    tls = std::move(*made);
  }
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  const AttackResult result = run_attack(options, targets->front(), tls.get(), stop);
  fmt::print("{}", report_text(options, result));
  return result.connections != 0 ? kGood : kNotGood;
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = parse_command_line(argc, argv);
  if (!line) {
    fmt::print(stderr, "{}\n", line.error());
    return kMistake;
  }
  if (line->print) {
    fmt::print("{}", *line->print);
    return kGood;
  }
  return line->attack ? attack(*line->attack) : run(line->options);
}
