#include "perchd/daemon.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perch/net/signals.h"
#include "perchd/options.h"
#include "perchd/preflight.h"
#include "perchd/privileges.h"
#include "perchd/server_options.h"
#include "perchd/state_directory.h"
#include "perchd/successor.h"

namespace perch::perchd {
namespace {

using Level = server::LogLevel;

constexpr int kCannotServe = 1;

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

std::string state_directory_of(const Config& config) {
  const std::string& given = config.process.state_directory;
  return given.empty() ? state_directory() : given;
}

// What a reload changes; everything else is fixed when the server starts.
bool can_reload(std::string_view option) {
  constexpr std::array<std::string_view, 2> kTables = {"tls.", "file_cache."};
  constexpr std::array<std::string_view, 5> kOptions = {"root", "log_level", "log_file",
                                                        "access_log.file", "access_log.format"};
  return std::ranges::any_of(kTables, [&](auto table) { return option.starts_with(table); }) ||
         option.starts_with("files.") || std::ranges::find(kOptions, option) != kOptions.end();
}

}  // namespace

Daemon::Daemon(Config config, StartedAs started_as, Reload reload)
    : config_(std::move(config)),
      started_as_(std::move(started_as)),
      reload_(std::move(reload)),
      tls_(state_directory_of(config_)) {}

int Daemon::run() {
  if (auto ready = set_up(); !ready) {
    fmt::print(stderr, "perchd: {}\n", ready.error());
    started_as_.inheritance.predecessor.failed(ready.error());
    return kCannotServe;
  }
  announce();
  wait_for_the_end();
  return drain();
}

// Everything that needs privileges comes first: ports, keys, logs. Then they are given up, and only
// then is anything read from the network.
std::expected<void, std::string> Daemon::set_up() {
  const auto because = [](const Error& error) { return std::unexpected(error.message()); };
  const auto mistake = [](const ConfigError& error) { return std::unexpected(to_string(error)); };
  if (auto wrong = check_root(config_)) return mistake(*wrong);
  auto identity = find_identity(config_.process);
  if (!identity) return mistake(identity.error());
  if (auto opened = logs_.open(config_); !opened) return because(opened.error());
  auto sites = SiteService::open(config_);
  if (!sites) return because(sites.error());
  sites_ = std::make_unique<CurrentSites>(std::move(*sites));

  server::ServerOptions options = server_options(config_);
  options.log = [this](Level level, std::string_view line) { logs_.write(level, line); };
  options.access_log = logs_.access_log();
  server_.emplace(std::move(options));
  server_->set_fallback(sites_->handler());
  secure_ = listens_securely(config_);
  if (secure_) {
    auto loaded = tls_.load(config_);
    if (!loaded) return mistake(loaded.error());
    server_->secure(std::move(loaded->context));
    for (const std::string& remark : loaded->remarks) log(Level::kWarning, remark);
  }
  if (auto listening = listen(); !listening) return listening;
  if (*identity) {
    if (auto became = become(**identity); !became) return because(became.error());
  }
  if (auto started = server_->start(); !started) return because(started.error());
  return {};
}

std::expected<void, std::string> Daemon::listen() {
  for (server::InheritedListener& listener : started_as_.inheritance.listeners) {
    if (auto taken = server_->inherit(std::move(listener)); !taken) {
      return std::unexpected(taken.error().message());
    }
  }
  started_as_.inheritance.listeners.clear();
  for (const std::string& url : config_.listen) {
    if (auto listening = server_->listen(url); !listening) {
      return std::unexpected(listening.error().message());
    }
  }
  for (const std::string& address : server_->drop_unclaimed()) {
    log(Level::kWarning,
        fmt::format("the inherited listener on {} was closed: no `listen` names its address",
                    address));
  }
  return {};
}

void Daemon::announce() {
  for (const std::string& url : server_->urls()) fmt::print("perchd listens on {}\n", url);
  fmt::print("perchd serves {} over HTTP/2 and HTTP/1.1, to at most {} connections\n", config_.root,
             server_->max_connections());
  std::fflush(stdout);
  manager_.ready();
  started_as_.inheritance.predecessor.ready();
}

void Daemon::wait_for_the_end() {
  for (;;) {
    const std::optional<net::Signal> signal = net::wait_for_signal(tls_.next_rotation());
    if (!signal) {
      rotate_ticket_keys();
      continue;
    }
    switch (*signal) {
      case net::Signal::kInterrupt:
      case net::Signal::kTerminate:
        return;
      case net::Signal::kHangUp:
        reload();
        break;
      case net::Signal::kUser1:  // kept for later
        break;
      case net::Signal::kUser2:
        if (upgrade()) return;
        break;
    }
  }
}

void Daemon::rotate_ticket_keys() {
  if (tls_.rotate_if_due(Instant::now())) log(Level::kDebug, "TLS: ticket keys were rotated");
}

// --- reload

void Daemon::reload() {
  manager_.reloading();
  auto read = reload_();
  if (!read) {
    for (const ConfigError& error : read.error()) {
      log(Level::kError, "reload: " + to_string(error));
    }
    log(Level::kError, "reload: the configuration has mistakes; all stays as it was");
    reopen_logs(config_);  // they may have been rotated all the same
    manager_.ready();
    return;
  }
  std::vector<std::string> later = differences(config_, *read);
  std::erase_if(later, can_reload);
  if (read->access_log.file.empty() != config_.access_log.file.empty()) {
    later.push_back("access_log.file (on or off)");
  }
  if (!later.empty()) {
    log(Level::kWarning, fmt::format("reload: a change of {} needs a restart, and is ignored until "
                                     "then",
                                     fmt::join(later, ", ")));
  }
  reopen_logs(*read);
  reload_tls(*read);
  reload_sites(*read);
  log(Level::kInfo, "reloaded");
  manager_.ready();
}

void Daemon::reopen_logs(const Config& config) {
  const std::vector<std::string> failures = logs_.reopen(config);
  for (const std::string& failure : failures) log(Level::kError, "reload: " + failure);
  if (!failures.empty() || &config == &config_) return;
  config_.log_file = config.log_file;
  config_.log_level = config.log_level;
  const std::string file = config_.access_log.file;
  config_.access_log = config.access_log;
  if (file.empty() != config.access_log.file.empty()) config_.access_log.file = file;
}

// The certificate for https listeners that are there: others may be named by now.
void Daemon::reload_tls(const Config& config) {
  if (!secure_) return;
  Config as_listening = config;
  as_listening.listen = config_.listen;
  auto loaded = tls_.load(as_listening);
  if (!loaded) {
    log(Level::kError, fmt::format("reload: [tls] stays as it was: {}", to_string(loaded.error())));
    return;
  }
  server_->secure(std::move(loaded->context));
  for (const std::string& remark : loaded->remarks) log(Level::kWarning, remark);
  config_.tls = config.tls;
}

void Daemon::reload_sites(const Config& config) {
  auto sites = SiteService::open(config);
  if (!sites) {
    log(Level::kError,
        fmt::format("reload: the files served stay as they were: {}", sites.error().message()));
    return;
  }
  sites_->replace(std::move(*sites), [this] { server_->synchronize(); });
  config_.root = config.root;
  config_.files = config.files;
  config_.hosts = config.hosts;
  config_.file_cache = config.file_cache;
}

// --- upgrade

bool Daemon::upgrade() {
  constexpr Duration kBetweenLooks = std::chrono::milliseconds(50);
  log(Level::kInfo, fmt::format("upgrade: starting {}", started_as_.program));
  auto successor =
      Successor::start(started_as_.program, started_as_.arguments, server_->listeners());
  if (!successor) {
    log(Level::kError,
        fmt::format("upgrade: {}; this process goes on", successor.error().message()));
    return false;
  }
  const Deadline deadline = Deadline::after(config_.timeouts.upgrade);
  auto state = Successor::State::kStarting;
  while (state == Successor::State::kStarting) {
    state = successor->wait(Deadline::after(kBetweenLooks));
    if (state != Successor::State::kStarting) break;
    const auto signal = net::wait_for_signal(Deadline::at(Instant::now()));
    if (signal == net::Signal::kTerminate || signal == net::Signal::kInterrupt) {
      successor->give_up("this process was told to end");
      return true;
    }
    if (signal)
      log(Level::kWarning, "upgrade: a signal was ignored, since a new process is starting");
    if (deadline.passed(Instant::now())) {
      successor->give_up("it was not ready in time (timeouts.upgrade)");
      state = Successor::State::kFailed;
    }
  }
  if (state == Successor::State::kFailed) {
    log(Level::kError, fmt::format("upgrade: the new process {} failed: {}; this process goes on",
                                   successor->pid(), successor->failure()));
    return false;
  }
  log(Level::kInfo, fmt::format("upgrade: process {} serves; this one drains", successor->pid()));
  server_->share_listeners();
  handed_over_ = true;
  return true;
}

int Daemon::drain() {
  const server::ServerStatistics at_end = server_->statistics();
  const std::size_t resident = resident_kib();
  // After a hand-over the service goes on.
  if (!handed_over_) manager_.stopping();
  fmt::print("perchd drains for up to {} s; a second signal ends it at once\n",
             std::chrono::duration_cast<std::chrono::seconds>(config_.timeouts.drain).count());
  std::fflush(stdout);
  const auto second_signal = [] {
    const auto signal = net::wait_for_signal(Deadline::at(Instant::now()));
    return signal == net::Signal::kTerminate || signal == net::Signal::kInterrupt;
  };
  const bool clean = server_->drain(Deadline::after(config_.timeouts.drain), second_signal);
  fmt::print("connections served {}, parked {} now and {} at most, requests {}, RSS {:.1f} MiB{}\n",
             at_end.accepted, at_end.parked, at_end.parked_at_most, server_->statistics().requests,
             static_cast<double>(resident) / 1024, clean ? "" : "; some connections were cut off");
  std::fflush(stdout);
  return 0;
}

}  // namespace perch::perchd
