#include "http2/testing/scripted_client.h"

#include <algorithm>
#include <cstdio>
#include <ostream>

#include "http2/big_endian.h"
#include "perch/base/bytes.h"

namespace perch::http2::testing {
namespace {

class Collect final : public FieldSink {
 public:
  explicit Collect(FieldLines& lines) : lines_(lines) {}
  void on_field(std::string_view name, std::string_view value, bool) override {
    lines_.emplace_back(name, value);
  }

 private:
  FieldLines& lines_;
};

std::string number(std::uint64_t value) { return std::to_string(value); }

}  // namespace

std::string_view ReceivedFrame::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return {};
}

std::string_view ReceivedFrame::text() const { return as_text(payload); }

ErrorCode ReceivedFrame::error() const {
  const std::size_t at = header.type == FrameType::kGoaway ? 4 : 0;
  return ErrorCode{payload.size() < at + 4 ? 0xffff'ffff : load_be32(payload.data() + at)};
}

std::string ReceivedFrame::describe() const {
  const std::string end = header.has(flags::kEndStream) ? " END_STREAM" : "";
  const std::string id = " " + number(header.stream_id);
  switch (header.type) {
    case FrameType::kData:
      return "DATA" + id + " " + number(payload.size()) + end;
    case FrameType::kHeaders:
      return "HEADERS" + id + " " +
             (field(":status").empty() ? "trailers" : std::string(field(":status"))) + end;
    case FrameType::kRstStream:
      return "RST_STREAM" + id + " " + std::string(to_string(error()));
    case FrameType::kSettings:
      return header.has(flags::kAck) ? "SETTINGS ACK" : "SETTINGS";
    case FrameType::kPing: {
      char digits[17];
      std::snprintf(digits, sizeof(digits), "%llx",
                    static_cast<unsigned long long>(load_be64(payload.data())));
      return std::string(header.has(flags::kAck) ? "PING ACK " : "PING ") + digits;
    }
    case FrameType::kGoaway:
      return "GOAWAY " + number(load_be32(payload.data())) + " " + std::string(to_string(error()));
    case FrameType::kWindowUpdate:
      return "WINDOW_UPDATE" + id + " +" + number(load_be32(payload.data()));
    default:
      return "type " + number(static_cast<unsigned>(header.type)) + id;
  }
}

FieldLines get(std::string_view path, const FieldLines& more) {
  FieldLines lines = {{":method", "GET"},
                      {":scheme", "http"},
                      {":path", std::string(path)},
                      {":authority", "perch.test"}};
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

FieldLines post(std::string_view path, const FieldLines& more) {
  FieldLines lines = get(path, more);
  lines[0].second = "POST";
  return lines;
}

std::vector<std::byte> from_hex(std::string_view digits) {
  std::vector<std::byte> bytes;
  unsigned value = 0;
  bool half = false;
  for (const char c : digits) {
    if (c == ' ') continue;
    value = value * 16 + static_cast<unsigned>(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    if (half) bytes.push_back(static_cast<std::byte>(std::exchange(value, 0)));
    half = !half;
  }
  return bytes;
}

// --- writing

void ScriptedClient::preface() { raw(as_bytes(kClientPreface)); }

void ScriptedClient::settings(std::vector<Setting> values) {
  frames().settings(values);
  for (const Setting value : values) {
    if (value.id == setting::kInitialWindowSize) initial_window_ = value.value;
  }
}

std::vector<std::byte> ScriptedClient::block(const FieldLines& fields) {
  std::vector<std::byte> bytes;
  encoder_.begin_block(bytes);
  for (const auto& [name, value] : fields) {
    encoder_.encode(name, value, HpackEncoder::Indexing::kIncremental, bytes);
  }
  return bytes;
}

void ScriptedClient::request(StreamId stream, const FieldLines& fields, bool end_stream) {
  request_in_parts(stream, fields, kDefaultMaxFrameSize, end_stream);
}

void ScriptedClient::request_in_parts(StreamId stream, const FieldLines& fields, std::size_t part,
                                      bool end_stream) {
  const std::vector<std::byte> all = block(fields);
  std::span<const std::byte> rest(all);
  std::span<const std::byte> fragment = rest.first(std::min(part, rest.size()));
  rest = rest.subspan(fragment.size());
  frames().headers(stream, fragment,
                   static_cast<std::uint8_t>((end_stream ? flags::kEndStream : 0) |
                                             (rest.empty() ? flags::kEndHeaders : 0)));
  while (!rest.empty()) {
    fragment = rest.first(std::min(part, rest.size()));
    rest = rest.subspan(fragment.size());
    frames().continuation(stream, fragment, rest.empty());
  }
}

void ScriptedClient::data(StreamId stream, std::string_view text, bool end_stream) {
  frames().data(stream, as_bytes(text), end_stream);
}

void ScriptedClient::window_update(StreamId stream, std::uint32_t increment) {
  frames().window_update(stream, increment);
  (stream == 0 ? connection_window_ : streams_[stream].window_change) += increment;
}

// --- reading

void ScriptedClient::receive(std::span<const std::byte> bytes) {
  in_.insert(in_.end(), bytes.begin(), bytes.end());
  std::size_t used = 0;
  while (in_.size() - used >= kFrameHeaderBytes) {
    const auto rest = std::span<const std::byte>(in_).subspan(used);
    ReceivedFrame frame{.header = read_frame_header(rest)};
    const std::size_t size = kFrameHeaderBytes + frame.header.length;
    if (rest.size() < size) break;
    frame.payload.assign(rest.begin() + kFrameHeaderBytes,
                         rest.begin() + static_cast<std::ptrdiff_t>(size));
    used += size;
    on_frame(std::move(frame));
  }
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(used));
}

void ScriptedClient::on_frame(ReceivedFrame frame) {
  if (!std::exchange(settings_seen_, true) &&
      (frame.header.type != FrameType::kSettings || frame.header.has(flags::kAck))) {
    wrong("the first frame is not SETTINGS", frame);
  }
  if (frame.header.length > kDefaultMaxFrameSize) wrong("frame too large", frame);
  const bool continuation = frame.header.type == FrameType::kContinuation;
  if (block_open_ != continuation ||
      (continuation && frame.header.stream_id != open_block_.header.stream_id)) {
    wrong("header block interrupted, or CONTINUATION without one", frame);
  }
  if (continuation) {
    open_block_.payload.insert(open_block_.payload.end(), frame.payload.begin(),
                               frame.payload.end());
    ++open_block_.continuations;
  } else if (frame.header.type == FrameType::kHeaders) {
    open_block_ = std::move(frame);
    frame.header = open_block_.header;
  } else {
    check(frame);
    received_.push_back(std::move(frame));
    return;
  }
  block_open_ = !frame.header.has(flags::kEndHeaders);
  if (block_open_) return;
  decode(open_block_);
  check(open_block_);
  received_.push_back(std::move(open_block_));
}

void ScriptedClient::decode(ReceivedFrame& frame) {
  Collect sink(frame.fields);
  if (!decoder_.decode(frame.payload, true, sink)) wrong("header block does not decode", frame);
}

void ScriptedClient::check(const ReceivedFrame& frame) {
  const StreamId id = frame.header.stream_id;
  if (failed_) wrong("frame after a GOAWAY with an error", frame);
  switch (frame.header.type) {
    case FrameType::kData:
    case FrameType::kHeaders: {
      StreamState& stream = streams_[id];
      if (stream.ended) wrong("frame on a stream that has ended", frame);
      stream.ended = frame.header.has(flags::kEndStream);
      if (frame.header.type == FrameType::kHeaders) {
        const bool interim = frame.field(":status").starts_with('1');
        if (stream.headers && !stream.ended) wrong("HEADERS in the middle", frame);
        if (!interim) stream.headers = true;
        if (interim && stream.ended) wrong("an interim response ends the stream", frame);
        return;
      }
      if (!stream.headers) wrong("DATA before HEADERS", frame);
      connection_window_ -= frame.header.length;
      stream.window_change -= frame.header.length;
      const bool overrun = connection_window_ < 0 || initial_window_ + stream.window_change < 0;
      if (check_windows_ && overrun && frame.header.length > 0)
        wrong("DATA beyond a window", frame);
      return;
    }
    case FrameType::kRstStream:
      streams_[id].ended = true;
      return;
    case FrameType::kGoaway:
      failed_ = frame.error() != ErrorCode::kNoError;
      return;
    case FrameType::kWindowUpdate:
      if ((load_be32(frame.payload.data()) & 0x7fff'ffff) == 0) wrong("WINDOW_UPDATE by 0", frame);
      return;
    default:
      return;
  }
}

void ScriptedClient::wrong(std::string_view what, const ReceivedFrame& frame) {
  if (violation_.empty()) violation_ = std::string(what) + ": " + frame.describe();
}

}  // namespace perch::http2::testing
