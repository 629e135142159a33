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

namespace perch::server {
namespace {

constexpr int kAcceptsPerTurn = 64;
constexpr Duration kAcceptPause = std::chrono::milliseconds(100);
// A worker that has this many connections more than the least busy one gives new ones away.
constexpr std::uint32_t kImbalance = 16;

std::vector<std::byte> refusal() {
  std::vector<std::byte> frames;
  http2::FrameWriter writer(frames);
  writer.settings({});
  writer.goaway(0, http2::ErrorCode::kEnhanceYourCalm, as_bytes("too many connections"));
  return frames;
}

// A descriptor on its way to another worker.
struct HandOver final : task::Post {
  ServerWorker* target;
  net::UniqueFd fd;
};

}  // namespace

Result<void> ServerWorker::watch_listeners() {
  net::Reactor& reactor = net::Reactor::of(worker_);
  for (std::uint32_t i = 0; i < shared_.listeners.size(); ++i) {
    const net::IoInterest interest{.read = true, .exclusive = true};
    auto added = reactor.add(shared_.listeners[i].get(), {net::SinkId::kListener, i, 0}, interest);
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
    net::AcceptOutcome outcome = net::accept_one(shared_.listeners[listener].get());
    switch (outcome.kind) {
      case net::AcceptOutcome::Kind::kConnection:
        place(std::move(outcome.fd));
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

void ServerWorker::place(net::UniqueFd fd) {
  const std::uint32_t open = shared_.open.fetch_add(1, std::memory_order_relaxed);
  if (open >= shared_.max_connections) {
    shared_.open.fetch_sub(1, std::memory_order_relaxed);
    return refuse(std::move(fd));
  }
  ServerWorker& least = **std::ranges::min_element(
      shared_.workers, {}, [](const auto& worker) { return worker->load(); });
  ServerWorker& target = least.load() + kImbalance < load() ? least : *this;
  // At once: a burst is placed before the target has seen any of it.
  target.load_.fetch_add(1, std::memory_order_relaxed);
  if (&target != this) return target.hand_over(std::move(fd));
  add_connection(std::move(fd));
}

void ServerWorker::hand_over(net::UniqueFd fd) {
  auto* post = new HandOver;
  post->run = [](task::Post& arrived) noexcept {
    const std::unique_ptr<HandOver> owned(static_cast<HandOver*>(&arrived));
    owned->target->add_connection(std::move(owned->fd));
  };
  post->target = this;
  post->fd = std::move(fd);
  worker_.post(*post);
}

// The client learns why, if its socket takes these few bytes at once.
void ServerWorker::refuse(net::UniqueFd fd) {
  counters_.refused.add();
  static const std::vector<std::byte> kRefusal = refusal();
  static_cast<void>(::send(fd.get(), kRefusal.data(), kRefusal.size(), MSG_NOSIGNAL));
  ::shutdown(fd.get(), SHUT_WR);
}

void ServerWorker::stop_accepting() {
  if (!accepting_) return;
  accepting_ = false;
  net::Reactor& reactor = net::Reactor::of(worker_);
  for (const net::UniqueFd& listener : shared_.listeners) {
    static_cast<void>(reactor.remove(listener.get()));
  }
}

// For good. Once no worker accepts any more, the ports are closed, so that clients and their load
// balancers turn elsewhere at once instead of waiting in a queue that nobody serves.
void ServerWorker::give_up_listeners() {
  stop_accepting();
  if (shared_.serving_workers.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  for (const net::UniqueFd& listener : shared_.listeners) ::shutdown(listener.get(), SHUT_RD);
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
