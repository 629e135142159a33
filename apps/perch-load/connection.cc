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

std::optional<net::Endpoint> source_for(const net::Endpoint& target, std::size_t index) {
  if (!target.valid() || target.is_ipv6()) return std::nullopt;
  sockaddr_in address;
  std::memcpy(&address, target.sockaddr(), sizeof address);
  if ((ntohl(address.sin_addr.s_addr) >> 24) != 127) return std::nullopt;
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
  fd_ = std::move(fd);
  return {};
}

Connection::Outcome Connection::request(RequestBlocks& blocks, LoopBuffers& buffers) {
  buffers.output.clear();
  session_.request(blocks, buffers.output);
  return {std::nullopt, send(buffers)};
}

Connection::Outcome Connection::on_io(net::IoEvents events, LoopBuffers& buffers) {
  Outcome outcome;
  buffers.output.clear();
  if (!connected_) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(fd_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      outcome.lost = reason(error);
      return outcome;
    }
    if (!events.has(net::kWritable)) return outcome;
    connected_ = true;
  }
  // What came before an end is still an answer.
  outcome.lost = receive(buffers);
  if (outcome.lost.empty()) outcome.lost = send(buffers);
  outcome.answer = session_.take_answer();
  if (outcome.lost.empty() && session_.ending() && !session_.waiting()) {
    outcome.lost = why_closed(0);
  }
  return outcome;
}

void Connection::close(LoopBuffers& buffers) {
  if (fd_.valid() && connected_ && pending_.empty()) {
    buffers.output.clear();
    session_.say_goodbye(buffers.output);
    send(buffers);
  }
  fd_.reset();
  session_ = ClientSession();
  pending_ = {};
}

std::string Connection::send(LoopBuffers& buffers) {
  std::vector<std::byte>& output = buffers.output;
  if (!pending_.empty() || !connected_) {
    pending_.insert(pending_.end(), output.begin(), output.end());
    if (!connected_) return {};
    output = std::exchange(pending_, {});
  }
  std::size_t sent = 0;
  while (sent < output.size()) {
    const ssize_t n = ::send(fd_.get(), output.data() + sent, output.size() - sent, MSG_NOSIGNAL);
    if (n >= 0) {
      sent += static_cast<std::size_t>(n);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      return why_closed(errno);
    }
  }
  pending_.assign(output.begin() + static_cast<std::ptrdiff_t>(sent), output.end());
  output.clear();
  return {};
}

std::string Connection::receive(LoopBuffers& buffers) {
  for (;;) {
    const ssize_t n = ::recv(fd_.get(), buffers.input.data(), buffers.input.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {};
    if (n < 0) return why_closed(errno);
    if (n == 0) return why_closed(0);
    const auto size = static_cast<std::size_t>(n);
    session_.receive(std::span(buffers.input).first(size), buffers.output);
    if (session_.broken()) {
      send(buffers);  // its GOAWAY, as a courtesy
      return why_closed(0);
    }
    // Reads on until there is nothing: an end that came with these bytes makes no event of its own.
  }
}

std::string Connection::why_closed(int system_error) const {
  const auto& ending = session_.ending();
  if (ending && ending->by_server) return fmt::format("GOAWAY {}", http2::to_string(ending->code));
  if (ending) return fmt::format("broke the protocol: {}", ending->what);
  if (system_error != 0) return fmt::format("without GOAWAY: {}", reason(system_error));
  return "without GOAWAY";
}

}  // namespace perch::load
