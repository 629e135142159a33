#include "perch/server/server.h"

#include <cstddef>
#include <cstdio>
#include <latch>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "perch/base/check.h"
#include "perch/net/descriptor_limit.h"
#include "perch/net/endpoint.h"
#include "perch/net/listen.h"
#include "perch/net/listen_url.h"
#include "perch/net/reactor.h"
#include "perch/net/signals.h"
#include "perch/task/runtime.h"
#include "server/server_worker.h"
#include "server/shared_state.h"

namespace perch::server {
namespace {

constexpr Duration kPoll = std::chrono::milliseconds(20);
// Between the two GOAWAYs: time for requests that were on their way when the first was sent.
constexpr Duration kNoticePeriod = std::chrono::seconds(1);

void log_to_stderr(LogLevel level, std::string_view line) {
  if (level == LogLevel::kDebug) return;
  std::fprintf(stderr, "perch: %.*s\n", static_cast<int>(line.size()), line.data());
}

std::string url_of(const net::Endpoint& endpoint, bool secure) {
  return (secure ? "https://" : "http://") + endpoint.to_string();
}

}  // namespace

struct Server::Impl {
  explicit Impl(ServerOptions options) {
    shared.options = std::move(options);
    if (!shared.options.log) shared.options.log = log_to_stderr;
    shared.secure_http1 = shared.options.http1;
    shared.secure_http1.scheme = "https";
  }
  ~Impl() { stop(); }

  Result<void> listen_on(const net::Endpoint& endpoint, bool secure);
  net::UniqueFd take_inherited(const net::Endpoint& wanted, bool secure);
  bool served_by_both_versions(const net::Endpoint& endpoint, bool secure) const;
  Result<void> start();
  void stop();
  void request_drain(DrainStep step);
  enum class Waited : std::uint8_t { kAllClosed, kDeadline, kHurry };
  // `hurry` is asked no more once it has said true: it may tell of each signal once.
  Waited wait_until_closed(Deadline deadline, const std::function<bool()>& hurry);
  bool all_closed() const { return shared.open.load(std::memory_order_relaxed) == 0; }

  ServerStatistics sum_of_workers() const;

  SharedState shared;
  std::vector<std::string> urls;
  std::vector<InheritedListener> inherited;  // and not claimed yet
  std::shared_ptr<const tls::ServerContext> tls;
  std::optional<task::Runtime> runtime;
  // Guards, against `statistics` of other threads, which workers there are, and what they left.
  mutable std::mutex statistics_mutex;
  ServerStatistics last_statistics;  // once stopped
};

Server::Server(ServerOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Server::~Server() = default;

Result<void> Server::route(http::Method method, std::string_view pattern, http::Handler handler) {
  return impl_->shared.router.add(method, pattern, std::move(handler));
}

void Server::set_fallback(http::Handler handler) {
  impl_->shared.router.set_fallback(std::move(handler));
}

void Server::secure(std::shared_ptr<const tls::ServerContext> context) {
  impl_->tls = std::move(context);
  for (const auto& worker : impl_->shared.workers) worker->hand_over_tls_context(impl_->tls);
}

const std::vector<std::string>& Server::urls() const { return impl_->urls; }
std::uint32_t Server::max_connections() const { return impl_->shared.max_connections; }
Result<void> Server::start() { return impl_->start(); }

Result<void> Server::listen(std::string_view url) {
  const auto parsed = net::parse_listen_url(url);
  if (!parsed) {
    return std::unexpected(
        Error(ErrorCode::kInvalidArgument, "\"" + std::string(url) + "\" " + parsed.error()));
  }
  if (parsed->secure && impl_->tls == nullptr) {
    return std::unexpected(
        Error(ErrorCode::kInvalidArgument, "\"" + std::string(url) + "\" needs a certificate"));
  }
  Result<std::vector<net::Endpoint>> endpoints = net::resolve(parsed->host, parsed->port);
  if (!endpoints) return std::unexpected(std::move(endpoints).error());
  std::optional<Error> first_error;
  std::uint16_t port = parsed->port;
  bool any = false;
  for (const net::Endpoint& endpoint : *endpoints) {
    // Port 0 is chosen once and then used for every address of the host.
    Result<void> listening = impl_->listen_on(endpoint.with_port(port), parsed->secure);
    if (listening) {
      any = true;
      if (port == 0) port = net::local_endpoint(impl_->shared.listeners.back().fd.get())->port();
    } else if (listening.error().code() == ErrorCode::kAddressInUse) {
      return listening;
    } else if (!first_error) {
      first_error = std::move(listening).error();
    }
  }
  // A host without IPv6 still resolves localhost to ::1: one address that works is enough.
  if (any) return {};
  return std::unexpected(std::move(*first_error));
}

// The socket with the wanted address, or with port 0 the first of any port.
net::UniqueFd Server::Impl::take_inherited(const net::Endpoint& wanted, bool secure) {
  const std::string_view scheme = secure ? "https" : "http";
  for (auto it = inherited.begin(); it != inherited.end(); ++it) {
    const Result<net::Endpoint> bound = net::local_endpoint(it->socket.get());
    if (!bound || !bound->valid()) continue;
    if ((wanted.port() == 0 ? bound->with_port(0) : *bound) != wanted) continue;
    if (!it->scheme.empty() && it->scheme != scheme) continue;
    net::UniqueFd socket = std::move(it->socket);
    inherited.erase(it);
    return socket;
  }
  return net::UniqueFd();
}

// A listener for [::] that also gets what comes to 0.0.0.0.
bool Server::Impl::served_by_both_versions(const net::Endpoint& endpoint, bool secure) const {
  if (endpoint.is_ipv6() || !endpoint.to_string().starts_with("0.0.0.0:")) return false;
  for (const Listener& listener : shared.listeners) {
    const Result<net::Endpoint> bound = net::local_endpoint(listener.fd.get());
    if (!bound || !bound->is_ipv6() || bound->port() != endpoint.port()) continue;
    if (listener.secure == secure && bound->to_string().starts_with("[::]:") &&
        net::takes_both_versions(listener.fd.get())) {
      return true;
    }
  }
  return false;
}

Result<void> Server::Impl::listen_on(const net::Endpoint& endpoint, bool secure) {
  if (served_by_both_versions(endpoint, secure)) return {};
  net::UniqueFd taken = take_inherited(endpoint, secure);
  const bool given = taken.valid();
  Result<net::UniqueFd> listener =
      given ? Result<net::UniqueFd>(std::move(taken)) : net::listen(endpoint);
  if (!listener) return std::unexpected(std::move(listener).error());
  const Result<net::Endpoint> bound = net::local_endpoint(listener->get());
  if (!bound) return std::unexpected(bound.error());
  urls.push_back(url_of(*bound, secure));
  shared.listeners.push_back({.fd = std::move(*listener), .secure = secure, .shared = given});
  return {};
}

Result<void> Server::inherit(InheritedListener listener) {
  if (Result<void> good = net::adopt_listener(listener.socket.get()); !good) return good;
  impl_->inherited.push_back(std::move(listener));
  return {};
}

std::vector<std::string> Server::drop_unclaimed() {
  std::vector<std::string> addresses;
  for (const InheritedListener& listener : impl_->inherited) {
    const Result<net::Endpoint> bound = net::local_endpoint(listener.socket.get());
    addresses.push_back(bound ? bound->to_string() : "unknown");
  }
  impl_->inherited.clear();
  return addresses;
}

std::vector<ListenerView> Server::listeners() const {
  std::vector<ListenerView> views;
  for (std::size_t i = 0; i < impl_->shared.listeners.size(); ++i) {
    const Listener& listener = impl_->shared.listeners[i];
    views.push_back({listener.fd.get(), impl_->urls[i], listener.secure});
  }
  return views;
}

// The workers look at it in a drain, which is posted to them.
void Server::share_listeners() {
  for (Listener& listener : impl_->shared.listeners) listener.shared = true;
}

void Server::synchronize() {
  const auto& workers = impl_->shared.workers;
  if (workers.empty()) return;
  std::latch latch(static_cast<std::ptrdiff_t>(workers.size()));
  for (const auto& worker : workers) worker->count_down(latch);
  latch.wait();
}

Result<void> Server::Impl::start() {
  PERCH_CHECK(!runtime.has_value());
  const Result<std::uint64_t> descriptors = net::raise_descriptor_limit();
  if (!descriptors) return std::unexpected(descriptors.error());
  shared.max_connections = shared.options.max_connections;
  if (shared.max_connections == 0) {
    const std::uint64_t reserved = shared.options.reserved_descriptors;
    const std::uint64_t left =
        *descriptors > 2 * reserved ? *descriptors - reserved : *descriptors / 2;
    shared.max_connections = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, INT32_MAX));
  }
  task::RuntimeOptions runtime_options;
  runtime_options.workers = shared.options.workers;
  runtime_options.make_driver = &net::Reactor::make_driver;
  runtime.emplace(std::move(runtime_options));
  {
    const std::lock_guard lock(statistics_mutex);
    for (unsigned i = 0; i < runtime->size(); ++i) {
      shared.workers.push_back(std::make_unique<ServerWorker>(shared, runtime->worker(i)));
      shared.workers.back()->set_tls_context(tls);
    }
  }
  shared.serving_workers.store(runtime->size(), std::memory_order_relaxed);
  for (const auto& worker : shared.workers) {
    if (Result<void> watched = worker->watch_listeners(); !watched) return watched;
  }
  runtime->start();
  return {};
}

void Server::Impl::request_drain(DrainStep step) {
  for (const auto& worker : shared.workers) worker->request_drain(step);
}

Server::Impl::Waited Server::Impl::wait_until_closed(Deadline deadline,
                                                     const std::function<bool()>& hurry) {
  while (!all_closed()) {
    if (hurry && hurry()) return Waited::kHurry;
    if (deadline.passed(Instant::now())) return Waited::kDeadline;
    std::this_thread::sleep_for(kPoll);
  }
  return Waited::kAllClosed;
}

// 1. Workers close their connections, which cancels their handlers. 2. The workers stop, and what
// is left of the handlers is unwound. 3. Tables, stores and listeners go; no thread sees them now.
void Server::Impl::stop() {
  if (!runtime.has_value()) return;
  request_drain(DrainStep::kCutOff);
  runtime->stop();
  {
    const std::lock_guard lock(statistics_mutex);
    last_statistics = sum_of_workers();
    shared.workers.clear();
  }
  runtime.reset();
  shared.listeners.clear();
}

bool Server::drain(Deadline deadline, const std::function<bool()>& hurry) {
  Impl& impl = *impl_;
  if (!impl.runtime.has_value()) return true;
  const Instant now = Instant::now();
  const Duration left = deadline.is_never() ? 2 * kNoticePeriod : deadline.when() - now;
  impl.request_drain(DrainStep::kNotice);
  Impl::Waited waited =
      impl.wait_until_closed(Deadline::at(now + std::min(kNoticePeriod, left / 2)), hurry);
  if (waited == Impl::Waited::kDeadline) {
    impl.request_drain(DrainStep::kFinal);
    waited = impl.wait_until_closed(deadline, hurry);
  }
  impl.stop();
  return waited == Impl::Waited::kAllClosed;
}

ServerStatistics Server::statistics() const {
  const std::lock_guard lock(impl_->statistics_mutex);
  return impl_->shared.workers.empty() ? impl_->last_statistics : impl_->sum_of_workers();
}

ServerStatistics Server::Impl::sum_of_workers() const {
  ServerStatistics sum;
  for (const auto& worker : shared.workers) {
    const WorkerCounters& counters = std::as_const(*worker).counters();
    sum.accepted += counters.accepted.get();
    sum.refused += counters.refused.get();
    sum.handshakes += counters.handshakes.get();
    sum.resumptions += counters.resumptions.get();
    sum.failed_handshakes += counters.failed_handshakes.get();
    sum.requests += counters.requests.get();
    sum.wakes += counters.wakes.get();
    sum.stream_errors += counters.stream_errors.get();
    sum.connection_errors += counters.connection_errors.get();
    sum.open += counters.open.get();
    sum.parked += counters.parked.get();
    sum.parked_record_bytes += counters.parked_record_bytes.get();
  }
  sum.parked_at_most = shared.parked_at_most.load(std::memory_order_relaxed);
  return sum;
}

int Server::run(std::string_view url) {
  net::block_signals();
  Result<void> ready = listen(url);
  if (ready) ready = start();
  if (!ready) {
    std::fprintf(stderr, "%s\n", ready.error().message().c_str());
    return 1;
  }
  for (const std::string& listening : urls()) std::printf("listening on %s\n", listening.c_str());
  std::fflush(stdout);
  for (;;) {
    const std::optional<net::Signal> signal = net::wait_for_signal(Deadline::never());
    if (signal == net::Signal::kInterrupt || signal == net::Signal::kTerminate) break;
  }
  const auto second_signal = [] {
    return net::wait_for_signal(Deadline::at(Instant::now())).has_value();
  };
  return drain(Deadline::after(std::chrono::seconds(10)), second_signal) ? 0 : 1;
}

}  // namespace perch::server
