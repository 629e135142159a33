// Reading and writing a non-blocking stream socket, with the outcomes that a connection tells
// apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "perch/http/output_queue.h"

namespace perch::server {

struct IoOutcome {
  enum class Kind { kBytes, kWouldBlock, kEnd, kBroken };
  Kind kind;
  std::size_t bytes = 0;
};

// Reads once. kEnd: the peer has shut its side down.
IoOutcome read_socket(int fd, std::span<std::byte> space);

// Writes the front of the queue with one system call and consumes what was taken.
IoOutcome write_socket(int fd, http::OutputQueue& queue);

// The same for bytes in one piece; tells how many were taken.
IoOutcome write_socket(int fd, std::span<const std::byte> bytes);

// The peer's address without its port; "" where there is no peer any more.
std::string peer_address(int fd);

// Bytes written that the peer has not acknowledged yet.
std::uint32_t unsent_bytes(int fd);

// No more bytes from this side; the peer sees the end of the stream after what was written.
void shut_down_writing(int fd);

}  // namespace perch::server
