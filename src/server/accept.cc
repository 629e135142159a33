// Accepting connections, and what is done when there are too many.
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "perch/http2/frame.h"
#include "perch/net/listen.h"
#include "server/server_worker.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

constexpr int kAcceptsPerTurn = 64;
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
// A worker that has this many connections more than the least busy one gives new ones away.
constexpr std::uint32_t kImbalance = 16;

std::vector<std::byte> http2_refusal() {
  std::vector<std::byte> frames;
  http2::FrameWriter writer(frames);
  writer.settings({});
  writer.goaway(0, http2::ErrorCode::kEnhanceYourCalm, as_bytes("too many connections"));
  return frames;
}

constexpr std::string_view kHttp1Refusal =
    "HTTP/1.1 503 Service Unavailable\r\n"
    "retry-after: 10\r\n"
    "connection: close\r\n"
    "content-length: 0\r\n"
    "\r\n";

}  // namespace

Result<void> ServerWorker::watch_listeners() {
  net::Reactor& reactor = net::Reactor::of(worker_);
  for (std::uint32_t i = 0; i < shared_.listeners.size(); ++i) {
    const net::IoInterest interest{.read = true, .exclusive = true};
    auto added =
        reactor.add(shared_.listeners[i].fd.get(), {net::SinkId::kListener, i, 0}, interest);
    if (!added) return added;
  }
  accepting_ = true;
  return {};
}

void ServerWorker::ListenerEvents::on_io(std::uint32_t slot, std::uint32_t,
                                         net::IoEvents) noexcept {
  owner.accept_some(slot);
}

void ServerWorker::accept_some(std::size_t listener) {
  for (int i = 0; i < kAcceptsPerTurn && accepting_; ++i) {
    net::AcceptOutcome outcome = net::accept_one(shared_.listeners[listener].fd.get());
    switch (outcome.kind) {
      case net::AcceptOutcome::Kind::kConnection:
        place({std::move(outcome.fd), shared_.listeners[listener].secure});
        break;
      case net::AcceptOutcome::Kind::kTransient:
        break;
      case net::AcceptOutcome::Kind::kWouldBlock:
        return;
      case net::AcceptOutcome::Kind::kOutOfDescriptors:
        shared_.log(LogLevel::kWarning, "out of descriptors: accepting pauses for 100 ms");
        return pause_accepting();
      case net::AcceptOutcome::Kind::kFailed:
        shared_.log(
            LogLevel::kError,
            "accept failed: " + Error::from_errno(outcome.system_error, "accept").message());
        return pause_accepting();
    }
  }
}

void ServerWorker::place(Accepted accepted) {
  const std::uint32_t open = shared_.open.fetch_add(1, std::memory_order_relaxed);
  if (open >= shared_.max_connections) {
    shared_.open.fetch_sub(1, std::memory_order_relaxed);
    return refuse(accepted);
  }
  ServerWorker& least = **std::ranges::min_element(
      shared_.workers, {}, [](const auto& worker) { return worker->load(); });
  ServerWorker& target = least.load() + kImbalance < load() ? least : *this;
  // At once: a burst is placed before the target has seen any of it.
  target.load_.fetch_add(1, std::memory_order_relaxed);
  if (&target != this) return target.hand_over(std::move(accepted));
  add_connection(std::move(accepted));
}

void ServerWorker::hand_over(Accepted accepted) {
  post([this, accepted = std::move(accepted)]() mutable { add_connection(std::move(accepted)); });
}

// The client learns why, if its socket takes these few bytes at once; over TLS it would take a
// handshake to tell it.
void ServerWorker::refuse(const Accepted& accepted) {
  counters_.refused.add();
  if (accepted.secure) return;
  const int fd = accepted.fd.get();
  static const std::vector<std::byte> kHttp2Refusal = http2_refusal();
  char first = 0;
  const bool other = ::recv(fd, &first, 1, MSG_PEEK) == 1 && first != http2::kClientPreface[0];
  static_cast<void>(write_socket(fd, other ? as_bytes(kHttp1Refusal) : std::span(kHttp2Refusal)));
  ::shutdown(fd, SHUT_WR);
}

void ServerWorker::stop_accepting() {
  if (!accepting_) return;
  accepting_ = false;
  net::Reactor& reactor = net::Reactor::of(worker_);
  for (const Listener& listener : shared_.listeners) {
    static_cast<void>(reactor.remove(listener.fd.get()));
  }
}

// For good. Once no worker accepts any more, the ports are closed, so that clients and their load
// balancers turn elsewhere at once instead of waiting in a queue that nobody serves.
void ServerWorker::give_up_listeners() {
  stop_accepting();
  if (shared_.serving_workers.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (Listener& listener : shared_.listeners) {
    if (listener.shared) {
      listener.fd.reset();
    } else {
      ::shutdown(listener.fd.get(), SHUT_RD);
    }
  }
}

// Level-triggered listeners would report without end while no descriptor is free.
void ServerWorker::pause_accepting() {
  stop_accepting();
  if (!accept_timer_.is_armed()) worker_.timers().arm(accept_timer_, now() + kAcceptPause);
}

void ServerWorker::AcceptTimer::fire(task::Timer& timer) noexcept {
  ServerWorker& owner = static_cast<AcceptTimer&>(timer).owner;
  if (owner.drain_step_ != DrainStep::kServing) return;
  if (const auto watched = owner.watch_listeners(); !watched) {
    owner.shared_.log(LogLevel::kError, watched.error().message());
    owner.accepting_ = true;  // some of them, maybe
    owner.pause_accepting();
  }
}

}  // namespace perch::server
