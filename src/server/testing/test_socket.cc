#include "server/testing/test_socket.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdlib>

#include "perch/base/bytes.h"
#include "server/testing/patience.h"

namespace perch::server::testing {
namespace {

void set_option(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof(value));
}

}  // namespace

bool tls_by_default() {
  static const bool kSet = std::getenv("PERCH_TEST_TLS") != nullptr;
  return kSet;
}

TestSocket::TestSocket(std::uint16_t port, const ClientOptions& options, std::string_view protocol)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  if (options.receive_buffer > 0) {
    set_option(fd_.get(), SOL_SOCKET, SO_RCVBUF, options.receive_buffer);
  }
  if (options.send_buffer > 0) set_option(fd_.get(), SOL_SOCKET, SO_SNDBUF, options.send_buffer);
  set_option(fd_.get(), IPPROTO_TCP, TCP_NODELAY, 1);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(fd_.get(), generic, sizeof(address)) != 0) fd_.reset();
  if (!fd_.valid()) return;
  tls::testing::ClientOptions defaults;
  defaults.alpn = {std::string(protocol)};
  if (options.clear || (options.tls == nullptr && !tls_by_default())) return;
  tls_ = std::make_unique<tls::testing::Client>(options.tls != nullptr ? *options.tls : defaults);
  tls_->receive({});
  send_all(tls_->take_output());
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  std::string early;
  while (!tls_->connected() && !tls_->failed() && receive(100, early)) {
    if (std::chrono::steady_clock::now() >= give_up) return;
  }
  plaintext_taken_ = 0;
}

bool TestSocket::send_all(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

bool TestSocket::send(std::span<const std::byte> bytes) {
  if (tls_ == nullptr) return send_all(bytes);
  if (!tls_->can_send()) return false;
  tls_->send(as_text(bytes));
  return send_all(tls_->take_output());
}

bool TestSocket::receive(int milliseconds, std::string& out) {
  if (ended_ || !fd_.valid()) return false;
  pollfd ready{fd_.get(), POLLIN, 0};
  if (::poll(&ready, 1, milliseconds) <= 0) return true;
  std::array<std::byte, 64 * 1024> buffer;
  const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  ended_ = got <= 0;
  if (ended_) return false;
  const auto bytes = std::span<const std::byte>(buffer).first(static_cast<std::size_t>(got));
  if (tls_ == nullptr) {
    out += as_text(bytes);
    return true;
  }
  tls_->receive(bytes);
  send_all(tls_->take_output());
  out += tls_->received().substr(plaintext_taken_);
  plaintext_taken_ = tls_->received().size();
  return true;
}

void TestSocket::half_close() {
  if (tls_ != nullptr) {
    tls_->close();
    send_all(tls_->take_output());
  }
  ::shutdown(fd_.get(), SHUT_WR);
}

void TestSocket::kill() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  fd_.reset();
}

}  // namespace perch::server::testing
