#include "server/socket_io.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "perch/net/endpoint.h"

namespace perch::server {
namespace {

constexpr std::size_t kMaxPieces = 128;

}  // namespace

IoOutcome read_socket(int fd, std::span<std::byte> space) {
  for (;;) {
    const ssize_t got = ::recv(fd, space.data(), space.size(), 0);
    if (got > 0) return {IoOutcome::Kind::kBytes, static_cast<std::size_t>(got)};
    if (got == 0) return {IoOutcome::Kind::kEnd};
    if (errno == EINTR) continue;
    return {errno == EAGAIN ? IoOutcome::Kind::kWouldBlock : IoOutcome::Kind::kBroken};
  }
}

std::string peer_address(int fd) {
  sockaddr_storage address;
  socklen_t size = sizeof address;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
  std::string text = net::Endpoint(&address, size).to_string();
  text.resize(std::min(text.rfind(':'), text.size()));
  if (text.starts_with('[')) text = text.substr(1, text.size() - 2);
  return text;
}

IoOutcome write_socket(int fd, http::OutputQueue& queue) {
  std::array<http::OutputQueue::Piece, kMaxPieces> pieces;
  const std::size_t count = queue.gather(pieces);
  std::array<iovec, kMaxPieces> vectors;
  for (std::size_t i = 0; i < count; ++i) {
    // The kernel only reads from them.
    vectors[i] = {const_cast<std::byte*>(pieces[i].data), pieces[i].size};
  }
  msghdr message{};
  message.msg_iov = vectors.data();
  message.msg_iovlen = count;
  for (;;) {
    const ssize_t sent = ::sendmsg(fd, &message, MSG_NOSIGNAL);
    if (sent >= 0) {
      queue.consume(static_cast<std::size_t>(sent));
      return {IoOutcome::Kind::kBytes, static_cast<std::size_t>(sent)};
    }
    if (errno == EINTR) continue;
    return {errno == EAGAIN ? IoOutcome::Kind::kWouldBlock : IoOutcome::Kind::kBroken};
  }
}

IoOutcome write_socket(int fd, std::span<const std::byte> bytes) {
  for (;;) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) return {IoOutcome::Kind::kBytes, static_cast<std::size_t>(sent)};
    if (errno == EINTR) continue;
    return {errno == EAGAIN ? IoOutcome::Kind::kWouldBlock : IoOutcome::Kind::kBroken};
  }
}

std::uint32_t unsent_bytes(int fd) {
  int bytes = 0;
  return ::ioctl(fd, SIOCOUTQ, &bytes) == 0 && bytes > 0 ? static_cast<std::uint32_t>(bytes) : 0;
}

void shut_down_writing(int fd) { ::shutdown(fd, SHUT_WR); }

}  // namespace perch::server
