#include "server/testing/socket_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "server/testing/patience.h"

namespace perch::server::testing {
namespace {

void set_option(int fd, int level, int option, int value) {
  ::setsockopt(fd, level, option, &value, sizeof(value));
}

}  // namespace

std::string_view Answer::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return {};
}

SocketClient::SocketClient(std::uint16_t port, ClientOptions options)
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
}

// --- writing

void SocketClient::handshake(std::vector<http2::Setting> settings) {
  script.preface();
  script.settings(std::move(settings));
  script.settings_ack();
  send();
}

void SocketClient::open_windows() {
  script.settings({{http2::setting::kInitialWindowSize, http2::kLargestWindow}});
  script.window_update(0, http2::kLargestWindow - http2::kDefaultWindow);
}

bool SocketClient::send() { return send_bytes(script.take_output()); }

bool SocketClient::send_bytes(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

// --- reading

bool SocketClient::receive_some(int milliseconds) {
  if (ended_ || !fd_.valid()) return false;
  pollfd ready{fd_.get(), POLLIN, 0};
  if (::poll(&ready, 1, milliseconds) <= 0) return true;
  std::array<std::byte, 64 * 1024> buffer;
  const ssize_t got = ::recv(fd_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  ended_ = got <= 0;
  if (got > 0) script.receive(std::span(buffer).first(static_cast<std::size_t>(got)));
  return !ended_;
}

bool SocketClient::read_until(const std::function<bool()>& done) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (!done()) {
    if (std::chrono::steady_clock::now() >= give_up || !receive_some(100)) return done();
  }
  return true;
}

bool SocketClient::read_frame(std::string_view description) {
  return read_until([&] { return saw(description); });
}

Answer SocketClient::answer(http2::StreamId stream) {
  // Looks at each frame once: a long body is many.
  std::size_t seen = 0;
  bool over = false;
  read_until([&] {
    for (const auto& frames = script.received(); seen < frames.size(); ++seen) {
      const http2::FrameHeader& header = frames[seen].header;
      if (header.stream_id != stream) continue;
      const bool carries_end =
          header.type == http2::FrameType::kData || header.type == http2::FrameType::kHeaders;
      over |= header.type == http2::FrameType::kRstStream ||
              (carries_end && header.has(http2::flags::kEndStream));
    }
    return over;
  });
  return answer_so_far(stream);
}

Answer SocketClient::answer_so_far(http2::StreamId stream) const {
  Answer answer;
  for (const ReceivedFrame& frame : script.received()) {
    if (frame.header.stream_id != stream) continue;
    if (frame.header.type == http2::FrameType::kRstStream) {
      answer.reset = true;
      answer.error = frame.error();
    } else if (frame.header.type == http2::FrameType::kData) {
      answer.body += frame.text();
      answer.ended |= frame.header.has(http2::flags::kEndStream);
    } else if (frame.header.type == http2::FrameType::kHeaders) {
      answer.ended |= frame.header.has(http2::flags::kEndStream);
      if (frame.field(":status").starts_with('1')) continue;
      if (answer.status.empty()) {
        answer.status = frame.field(":status");
        answer.fields = frame.fields;
      } else {
        answer.trailers = frame.fields;
      }
    }
  }
  return answer;
}

Answer SocketClient::fetch(http2::StreamId stream, std::string_view path, const FieldLines& more) {
  script.request(stream, get(path, more));
  send();
  return answer(stream);
}

bool SocketClient::read_to_end() {
  read_until([] { return false; });
  return ended_;
}

bool SocketClient::read_available() {
  for (int i = 0; i < 64; ++i) {
    if (!receive_some(0)) return false;
  }
  return true;
}

std::string SocketClient::story() const {
  std::string text;
  for (const ReceivedFrame& frame : script.received()) {
    if (!text.empty()) text += "; ";
    text += frame.describe();
  }
  return text;
}

bool SocketClient::saw(std::string_view description) const {
  for (const ReceivedFrame& frame : script.received()) {
    if (frame.describe() == description) return true;
  }
  return false;
}

// --- ending

void SocketClient::half_close() { ::shutdown(fd_.get(), SHUT_WR); }

void SocketClient::kill() {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  fd_.reset();
}

}  // namespace perch::server::testing
