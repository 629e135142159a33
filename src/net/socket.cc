#include "perch/net/socket.h"

#include "perch/base/check.h"
#include "perch/net/reactor.h"
#include "perch/task/worker.h"
#include "socket_table.h"

namespace perch::net {

Result<Socket> Socket::adopt(UniqueFd fd) {
  PERCH_CHECK(task::Worker::current() != nullptr);
  Reactor& reactor = Reactor::of(*task::Worker::current());
  SocketTable& table = reactor.sockets();
  const std::uint32_t slot = table.take_slot();
  Result<void> added = reactor.add(fd.get(), {SinkId::kSocket, slot, table.generation(slot)},
                                   IoInterest::connection());
  if (!added) {
    table.give_back(slot);
    return std::unexpected(added.error());
  }
  return Socket(std::move(fd), table, slot);
}

void Socket::close() noexcept {
  if (table_ == nullptr) return;
  fd_.reset();
  std::exchange(table_, nullptr)->give_back(slot_);
}

void Socket::Readiness::await_suspend(std::coroutine_handle<> leaf) {
  task::TaskHeader*& waiter = socket_.table_->waiter(socket_.slot_, direction_);
  PERCH_CHECK(waiter == nullptr);
  waiter = &task::running_task();
  registered_ = true;
  task::begin_wait(leaf);
  timer_.start(deadline_);
}

task::WaitResult Socket::Readiness::await_resume() {
  leave();
  timer_.disarm();
  return task::end_wait();
}

Socket::Readiness::~Readiness() { leave(); }

void Socket::Readiness::leave() noexcept {
  if (std::exchange(registered_, false)) {
    socket_.table_->waiter(socket_.slot_, direction_) = nullptr;
  }
}

}  // namespace perch::net
