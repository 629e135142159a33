// Socket: a descriptor with a slot in its worker's socket table, to wait for it in a task.
// The common part of TcpStream and TcpListener.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/net/unique_fd.h"
#include "perch/task/wait.h"

namespace perch::net {

class SocketTable;

enum class Direction : std::uint8_t { kRead, kWrite };

// Bound to the worker that it was made on.
class Socket {
 public:
  // Registers `fd` with the current worker's reactor, edge-triggered, in both directions.
  static Result<Socket> adopt(UniqueFd fd);

  Socket(Socket&& other) noexcept
      : fd_(std::move(other.fd_)),
        table_(std::exchange(other.table_, nullptr)),
        slot_(other.slot_) {}
  Socket& operator=(Socket&& other) noexcept {
    if (this != &other) {
      close();
      fd_ = std::move(other.fd_);
      table_ = std::exchange(other.table_, nullptr);
      slot_ = other.slot_;
    }
    return *this;
  }
  ~Socket() { close(); }

  int fd() const { return fd_.get(); }
  // REQUIRES: no task waits on it.
  void close() noexcept;

  class [[nodiscard]] Readiness {
   public:
    Readiness(const Socket& socket, Direction direction, Deadline deadline)
        : socket_(socket), direction_(direction), deadline_(deadline) {}
    ~Readiness();
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> leaf);
    task::WaitResult await_resume();

   private:
    void leave() noexcept;

    const Socket& socket_;
    Direction direction_;
    bool registered_ = false;
    Deadline deadline_;
    task::WaitTimer timer_;
  };

  // Waits for the next edge: call it after the operation answered EAGAIN, with no suspension in
  // between, and then try again. WaitResult: kCancelled, kTimedOut. REQUIRES: no other task waits
  // in this direction.
  Readiness ready(Direction direction, Deadline deadline) const {
    return Readiness(*this, direction, deadline);
  }

 private:
  Socket(UniqueFd fd, SocketTable& table, std::uint32_t slot)
      : fd_(std::move(fd)), table_(&table), slot_(slot) {}

  UniqueFd fd_;
  SocketTable* table_;
  std::uint32_t slot_;
};

}  // namespace perch::net
