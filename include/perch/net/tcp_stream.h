// TcpStream: a connected TCP socket for coroutines.
//
// Bound to the worker that it was made on: all calls and the destructor happen there, and the
// worker's runtime uses reactors. At most one task reads and one writes at a time; while one does,
// the stream stays where it is (it is not moved, closed or destroyed).
//
// Every wait ends with kCancelled when the calling task is cancelled, and with kTimedOut at its
// deadline; the bytes moved until then stay moved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/net/endpoint.h"
#include "perch/net/socket.h"
#include "perch/task/task.h"

namespace perch::net {

class TcpStream {
 public:
  // Errors: kReset (refused), kTimedOut, kCancelled, kSystem.
  static task::Task<Result<TcpStream>> connect(Endpoint endpoint, Deadline deadline);

  // Takes over a connected, non-blocking socket.
  static Result<TcpStream> adopt(UniqueFd fd);

  // Reads at least one byte, at most buffer.size(); 0 at the end of the peer's data. Borrows the
  // buffer until it ends. Errors: kReset, kTimedOut, kCancelled, kSystem. REQUIRES: buffer not
  // empty.
  task::Task<Result<std::size_t>> read_some(std::span<std::byte> buffer, Deadline deadline);

  // Writes all of `data`, which it borrows until it ends. After an error it is unknown how much was
  // written. Errors: kReset, kTimedOut, kCancelled, kSystem.
  task::Task<Result<void>> write_all(std::span<const std::byte> data, Deadline deadline);

  // Sends the end of our data. Errors: kReset, kSystem.
  Result<void> shutdown_write();

  int fd() const { return socket_.fd(); }

 private:
  explicit TcpStream(Socket socket) : socket_(std::move(socket)) {}

  Socket socket_;
};

}  // namespace perch::net
