#include "perch-load/connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace perch::load {
namespace {

const sockaddr* address_of(const net::Endpoint& endpoint) {
  return static_cast<const sockaddr*>(endpoint.sockaddr());
}
socklen_t size_of(const net::Endpoint& endpoint) {
  return static_cast<socklen_t>(endpoint.sockaddr_size());
}

std::string reason(int system_error) { return std::generic_category().message(system_error); }

}  // namespace

bool is_loopback(const net::Endpoint& endpoint) {
  if (!endpoint.valid()) return false;
  if (endpoint.is_ipv6()) {
    sockaddr_in6 address;
    std::memcpy(&address, endpoint.sockaddr(), sizeof address);
    return IN6_IS_ADDR_LOOPBACK(&address.sin6_addr) != 0;
  }
  sockaddr_in address;
  std::memcpy(&address, endpoint.sockaddr(), sizeof address);
  return (ntohl(address.sin_addr.s_addr) >> 24) == 127;
}

std::optional<net::Endpoint> source_for(const net::Endpoint& target, std::size_t index) {
  if (target.is_ipv6() || !is_loopback(target)) return std::nullopt;
  sockaddr_in address;
  std::memcpy(&address, target.sockaddr(), sizeof address);
  // 127.1.0.1, 127.1.0.2, ...; neither .0 nor .255, which some servers' filters treat apart.
  constexpr std::size_t kPerAddress = 1000;
  constexpr std::size_t kPerBlock = 250;
  const std::size_t number = index / kPerAddress;
  const auto block = static_cast<std::uint32_t>(number / kPerBlock % 65'536);
  const auto host = static_cast<std::uint32_t>(1 + number % kPerBlock);
  address.sin_addr.s_addr = htonl((127U << 24) + ((1U << 16) + (block << 8)) + host);
  address.sin_port = 0;
  return net::Endpoint(&address, sizeof address);
}

Result<net::UniqueFd> Connection::make_socket(const net::Endpoint& target,
                                              const std::optional<net::Endpoint>& source) {
  net::UniqueFd fd(
      ::socket(address_of(target)->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return std::unexpected(Error::from_errno(errno, "socket"));
  constexpr int kOn = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &kOn, sizeof kOn);
  if (source) {
    // The port is chosen by connect, so that only the pair of addresses must be unique.
    ::setsockopt(fd.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &kOn, sizeof kOn);
    if (::bind(fd.get(), address_of(*source), size_of(*source)) != 0) {
      return std::unexpected(Error::from_errno(errno, "bind"));
    }
  }
  return fd;
}

Result<void> Connection::connect(net::UniqueFd fd, const net::Endpoint& target) {
  if (::connect(fd.get(), address_of(target), size_of(target)) != 0 && errno != EINPROGRESS) {
    return std::unexpected(Error::from_errno(errno, "connect"));
  }
  *this = Connection();
  fd_ = std::move(fd);
  return {};
}

Connection::Outcome Connection::request(Loop& loop) {
  if (!session_) {
    wanted_ = true;
    return {};
  }
  session_->request(loop.requests, loop.output);
  return {std::nullopt, send(loop)};
}

Connection::Outcome Connection::on_io(net::IoEvents events, Loop& loop) {
  Outcome outcome;
  if (!connected_) {
    outcome.lost = connected(events, loop);
    if (!outcome.lost.empty() || !connected_) return outcome;
  }
  // What came before an end is still an answer, and what the end is answered by is a courtesy.
  outcome.lost = receive(loop);
  std::string not_sent = send(loop);
  if (outcome.lost.empty()) outcome.lost = std::move(not_sent);
  if (!session_) return outcome;
  outcome.answer = session_->take_answer();
  if (outcome.lost.empty() && !session_->waiting()) outcome.lost = session_->ending();
  return outcome;
}

std::string Connection::connected(net::IoEvents events, Loop& loop) {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  if (error != 0) return reason(error);
  if (!events.has(net::kWritable)) return {};
  connected_ = true;
  if (loop.tls) {
    tls_ = std::make_unique<TlsClient>(*loop.tls);
    tls_->start(loop.wire);
  } else {
    open_session(loop);
  }
  return {};
}

void Connection::open_session(Loop& loop) {
  session_.emplace(tls_ ? tls_->alpn() != "h2" : loop.http1);
  if (std::exchange(wanted_, false)) session_->request(loop.requests, loop.output);
}

void Connection::close(Loop& loop) {
  if (fd_.valid() && session_ && pending_.empty()) {
    session_->say_goodbye(loop.output);
    send(loop);
    if (tls_) {
      tls_->close(loop.wire);
      send(loop);
    }
  }
  *this = Connection();
}

std::string Connection::protocol() const {
  return fmt::format("{} {}", session_->protocol(),
                     tls_ ? "over " + tls_->description() : "in cleartext");
}

std::string Connection::send(Loop& loop) {
  std::vector<std::byte>& wire = loop.wire;
  if (!tls_) {
    wire.swap(loop.output);
  } else if (tls_->state() == TlsClient::State::kOpen) {
    tls_->seal(loop.output, wire);
  }
  loop.output.clear();
  if (!pending_.empty()) {
    pending_.insert(pending_.end(), wire.begin(), wire.end());
    wire = std::exchange(pending_, {});
  }
  std::size_t sent = 0;
  std::string failed;
  while (sent < wire.size() && failed.empty()) {
    const ssize_t n = ::send(fd_.get(), wire.data() + sent, wire.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      failed = why_closed(errno);
    }
  }
  pending_.assign(wire.begin() + static_cast<std::ptrdiff_t>(sent), wire.end());
  wire.clear();
  return failed;
}

std::string Connection::receive(Loop& loop) {
  for (;;) {
    const ssize_t n = ::recv(fd_.get(), loop.input.data(), loop.input.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (n <= 0) {
      if (n == 0 && session_) session_->receive_end();
      return why_closed(n < 0 ? errno : 0);
    }
    // Reads on until there is nothing: an end that came with these bytes makes no event of its own.
    std::string over = take(std::span(loop.input).first(static_cast<std::size_t>(n)), loop);
    if (!over.empty()) return over;
  }
}

std::string Connection::take(std::span<const std::byte> input, Loop& loop) {
  if (tls_) {
    loop.plaintext.clear();
    tls_->receive(input, loop.plaintext, loop.wire);
    if (!session_ && tls_->state() == TlsClient::State::kOpen) open_session(loop);
    input = loop.plaintext;
  }
  if (session_) session_->receive(input, loop.output);
  if (session_ && session_->broken()) return why_closed(0);
  if (!tls_ || tls_->state() == TlsClient::State::kOpen ||
      tls_->state() == TlsClient::State::kHandshaking) {
    return {};
  }
  if (session_) session_->receive_end();
  return why_closed(0);
}

std::string Connection::why_closed(int system_error) const {
  if (tls_ && tls_->state() == TlsClient::State::kFailed) return tls_->failure();
  std::string ending = session_ ? session_->ending() : "";
  if (!ending.empty()) return ending;
  const std::string_view when = session_ ? "without GOAWAY" : "during the handshake";
  return system_error == 0 ? std::string(when) : fmt::format("{}: {}", when, reason(system_error));
}

}  // namespace perch::load
