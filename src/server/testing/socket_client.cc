#include "server/testing/socket_client.h"

#include "server/testing/patience.h"

namespace perch::server::testing {

std::string_view Answer::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return {};
}

// --- writing

void SocketClient::handshake(std::vector<http2::Setting> settings) {
  script.preface();
  script.settings(std::move(settings));
  script.settings_ack();
  send();
}

void SocketClient::begin_with_open_windows() {
  script.preface();
  open_windows();
  script.settings_ack();
}

void SocketClient::open_windows() {
  script.settings({{http2::setting::kInitialWindowSize, http2::kLargestWindow}});
  script.window_update(0, http2::kLargestWindow - http2::kDefaultWindow);
}

bool SocketClient::send() { return send_bytes(script.take_output()); }

bool SocketClient::send_bytes(std::span<const std::byte> bytes) { return socket_.send(bytes); }

// --- reading

bool SocketClient::receive_some(int milliseconds) {
  input_.clear();
  const bool open = socket_.receive(milliseconds, input_);
  if (!input_.empty()) script.receive(std::as_bytes(std::span(input_)));
  return open;
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
  return socket_.ended();
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

}  // namespace perch::server::testing
