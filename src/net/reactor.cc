#include "perch/net/reactor.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "perch/base/check.h"
#include "socket_table.h"

namespace perch::net {
namespace {

IoEvents to_io_events(std::uint32_t events) {
  IoEvents result;
  if ((events & EPOLLIN) != 0) result = result | kReadable;
  if ((events & EPOLLOUT) != 0) result = result | kWritable;
  if ((events & EPOLLRDHUP) != 0) result = result | kPeerClosed;
  if ((events & EPOLLHUP) != 0) result = result | kHangup;
  if ((events & EPOLLERR) != 0) result = result | kError;
  return result;
}

std::uint32_t to_epoll(IoInterest interest) {
  std::uint32_t events = 0;
  if (interest.read) events |= EPOLLIN;
  if (interest.write) events |= EPOLLOUT;
  if (interest.edge_triggered) events |= EPOLLET;
  // The kernel allows EPOLLEXCLUSIVE with few others; listeners have no peer to close.
  if (interest.exclusive) {
    events |= EPOLLEXCLUSIVE;
  } else if (interest.read) {
    events |= EPOLLRDHUP;
  }
  return events;
}

constexpr std::size_t index_of(SinkId id) { return static_cast<std::size_t>(id); }

}  // namespace

struct Reactor::EventBuffer {
  std::array<epoll_event, kMaxEventsPerPoll> events;
};

Result<std::unique_ptr<Reactor>> Reactor::create() {
  UniqueFd epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return std::unexpected(Error::from_errno(errno, "epoll_create1"));
  UniqueFd wake_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_event.valid()) return std::unexpected(Error::from_errno(errno, "eventfd"));
  std::unique_ptr<Reactor> reactor(new Reactor(std::move(epoll), std::move(wake_event)));
  // Edge-triggered: each wake is an edge, so the counter need never be read.
  Result<void> added = reactor->add(reactor->wake_event_.get(), {SinkId::kReactor, 0, 0},
                                    {.read = true, .edge_triggered = true});
  if (!added) return std::unexpected(added.error());
  return reactor;
}

std::unique_ptr<task::Driver> Reactor::make_driver(unsigned /*worker_index*/) {
  Result<std::unique_ptr<Reactor>> reactor = create();
  PERCH_CHECK(reactor.has_value());
  return std::move(*reactor);
}

Reactor::Reactor(UniqueFd epoll, UniqueFd wake_event)
    : epoll_(std::move(epoll)),
      wake_event_(std::move(wake_event)),
      events_(std::make_unique<EventBuffer>()),
      sockets_(std::make_unique<SocketTable>()) {
  sinks_[index_of(SinkId::kSocket)] = sockets_.get();
}

Reactor::~Reactor() = default;

void Reactor::set_sink(SinkId id, EventSink* sink) {
  PERCH_CHECK(id != SinkId::kSocket && id < SinkId::kReactor);
  sinks_[index_of(id)] = sink;
}

Result<void> Reactor::control(int operation, int fd, IoToken token, IoInterest interest) {
  epoll_event event{};
  event.events = to_epoll(interest);
  event.data.u64 = token.pack();
  if (epoll_ctl(epoll_.get(), operation, fd, &event) == 0) return {};
  if (errno == ENOSPC) {
    return std::unexpected(Error(ErrorCode::kLimitExceeded,
                                 "epoll_ctl: fs.epoll.max_user_watches reached", Fault::kSystem));
  }
  return std::unexpected(Error::from_errno(errno, "epoll_ctl"));
}

Result<void> Reactor::add(int fd, IoToken token, IoInterest interest) {
  return control(EPOLL_CTL_ADD, fd, token, interest);
}

Result<void> Reactor::modify(int fd, IoToken token, IoInterest interest) {
  return control(EPOLL_CTL_MOD, fd, token, interest);
}

Result<void> Reactor::remove(int fd) { return control(EPOLL_CTL_DEL, fd, {}, {}); }

void Reactor::poll(Duration timeout) {
  timespec limit{};
  if (timeout != kForever) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
    limit.tv_sec = seconds.count();
    limit.tv_nsec = (timeout - seconds).count();
  }
  const int count = epoll_pwait2(epoll_.get(), events_->events.data(), kMaxEventsPerPoll,
                                 timeout == kForever ? nullptr : &limit, nullptr);
  // EINTR: a debugger or a handler of the program's; the loop comes back.
  PERCH_CHECK(count >= 0 || errno == EINTR);
  // What the handlers see as now is not the time before a sleep.
  if (task::Worker* worker = task::Worker::current(); worker != nullptr && timeout != Duration()) {
    worker->read_clock();
  }
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_->events[static_cast<std::size_t>(i)];
    const IoToken token = IoToken::unpack(event.data.u64);
    EventSink* sink = sinks_[index_of(token.sink)];
    if (sink != nullptr) sink->on_io(token.slot, token.generation, to_io_events(event.events));
  }
}

void Reactor::wake() noexcept {
  const std::uint64_t one = 1;
  // Cannot fail but for a full counter, which is an edge too.
  [[maybe_unused]] const ssize_t written = write(wake_event_.get(), &one, sizeof(one));
}

}  // namespace perch::net
