#include "perch-load/client_session.h"

#include <algorithm>
#include <utility>

#include "perch/base/bytes.h"
#include "perch/base/check.h"

namespace perch::load {

using http2::ErrorCode;
using http2::FrameHeader;
using http2::FrameType;
using http2::FrameWriter;
namespace flags = http2::flags;

namespace {

// Credit is returned in halves of the window, which is the one that HTTP/2 starts with.
constexpr std::uint32_t kWindow = http2::kDefaultWindow;
constexpr std::uint32_t kCreditAt = kWindow / 2;

// Of the decoded fields of one response, each charged 32 bytes on top.
constexpr std::size_t kMaxFieldBytes = 1024 * 1024;

}  // namespace

struct ClientSession::Active final : http2::FieldSink {
  explicit Active(std::span<const std::byte> table)
      : decoder(http2::kDefaultHeaderTableSize, table) {}

  void on_field(std::string_view name, std::string_view value, bool) override {
    block_bytes += name.size() + value.size() + 32;
    if (name != ":status") return;
    const bool digits = std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
    if (value.size() != 3 || !digits || value[0] == '0' || block_status != 0) {
      block_malformed = true;
      return;
    }
    block_status = static_cast<std::uint16_t>((value[0] - '0') * 100 + (value[1] - '0') * 10 +
                                              (value[2] - '0'));
  }

  http2::HpackDecoder decoder;
  std::vector<std::byte> partial;  // the beginning of a frame

  http2::StreamId block_stream = 0;  // of the header block that is open; 0: none
  bool block_ends_stream = false;
  bool block_malformed = false;
  std::uint16_t block_status = 0;
  std::size_t block_bytes = 0;

  Answer answer;
  std::optional<Answer> done;
  std::uint32_t stream_unacked = 0;
};

ClientSession::ClientSession() = default;
ClientSession::~ClientSession() = default;
ClientSession::ClientSession(ClientSession&&) noexcept = default;
ClientSession& ClientSession::operator=(ClientSession&&) noexcept = default;

void ClientSession::wake() {
  if (!active_) active_ = std::make_unique<Active>(table_);
}

void ClientSession::rest() {
  if (!active_ || waiting_ || active_->done || active_->block_stream != 0 ||
      !active_->partial.empty()) {
    return;
  }
  if (!ending_ && active_->decoder.live()) {
    std::vector<std::byte> table;
    active_->decoder.park(table);
    table_.assign(table.begin(), table.end());
    table_.shrink_to_fit();
  }
  active_.reset();
}

void ClientSession::request(RequestBlocks& blocks, Output& out) {
  PERCH_CHECK(!waiting_ && !ending_);
  wake();
  FrameWriter writer(out);
  if (stream_ == 0) {
    const auto preface = as_bytes(http2::kClientPreface);
    out.insert(out.end(), preface.begin(), preface.end());
    constexpr http2::Setting kSettings[] = {{http2::setting::kEnablePush, 0}};
    writer.settings(kSettings);
  }
  stream_ = stream_ == 0 ? 1 : stream_ + 2;
  waiting_ = true;
  active_->answer = {};
  active_->stream_unacked = 0;

  const RequestBlocks::Next next = blocks.next(encoder_state_, limits_);
  encoder_state_ = next.state;
  limits_.smallest = limits_.last;
  constexpr std::size_t kFragment = http2::kDefaultMaxFrameSize;  // every server takes that much
  Payload rest = next.block;
  Payload fragment = rest.first(std::min(rest.size(), kFragment));
  rest = rest.subspan(fragment.size());
  const std::uint8_t end = rest.empty() ? flags::kEndHeaders : std::uint8_t{0};
  writer.headers(stream_, fragment, static_cast<std::uint8_t>(flags::kEndStream | end));
  while (!rest.empty()) {
    fragment = rest.first(std::min(rest.size(), kFragment));
    rest = rest.subspan(fragment.size());
    writer.continuation(stream_, fragment, rest.empty());
  }
}

void ClientSession::receive(Payload input, Output& out) {
  if (!broken() && !input.empty()) {
    wake();
    while (!input.empty() && !broken()) input = take_frame(input, out);
  }
  rest();
}

void ClientSession::say_goodbye(Output& out) const {
  if (!broken()) FrameWriter(out).goaway(0, ErrorCode::kNoError);
}

std::optional<Answer> ClientSession::take_answer() {
  if (!active_ || !active_->done) return std::nullopt;
  const Answer answer = *std::exchange(active_->done, std::nullopt);
  rest();
  return answer;
}

// Takes one frame, or keeps what there is of it. Returns the input behind.
ClientSession::Payload ClientSession::take_frame(Payload input, Output& out) {
  std::vector<std::byte>& partial = active_->partial;
  // Completes `partial` to `size` bytes, as far as the input goes.
  const auto fill = [&](std::size_t size) {
    const std::size_t more = std::min(size - std::min(size, partial.size()), input.size());
    partial.insert(partial.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(more));
    input = input.subspan(more);
    return partial.size() >= size;
  };
  const bool in_place = partial.empty() && input.size() >= http2::kFrameHeaderBytes;
  if (!in_place && !fill(http2::kFrameHeaderBytes)) return {};

  const Payload start = in_place ? input : Payload(partial);
  const FrameHeader header = http2::read_frame_header(start);
  if (!settings_seen_ && as_text(start).starts_with("HTTP/")) {
    fail(ErrorCode::kHttp11Required, "the server speaks HTTP/1.1, not HTTP/2", out);
    return {};
  }
  if (header.length > http2::kDefaultMaxFrameSize) {
    fail(ErrorCode::kFrameSizeError, "a frame larger than 16,384 bytes", out);
    return {};
  }
  const std::size_t size = http2::kFrameHeaderBytes + header.length;
  if (in_place && input.size() >= size) {
    on_frame(header, input.subspan(http2::kFrameHeaderBytes, header.length), out);
    return input.subspan(size);
  }
  if (!fill(size)) return {};
  const std::vector<std::byte> frame = std::exchange(partial, {});
  on_frame(header, Payload(frame).subspan(http2::kFrameHeaderBytes), out);
  return input;
}

void ClientSession::on_frame(const FrameHeader& header, Payload payload, Output& out) {
  if (!settings_seen_ && (header.type != FrameType::kSettings || header.has(flags::kAck))) {
    return fail(ErrorCode::kProtocolError, "the first frame is not SETTINGS", out);
  }
  if (active_->block_stream != 0 && header.type != FrameType::kContinuation) {
    return fail(ErrorCode::kProtocolError, "a frame inside of a header block", out);
  }
  switch (header.type) {
    case FrameType::kData:
      return on_data(header, payload, out);
    case FrameType::kHeaders:
      return on_headers(header, payload, out);
    case FrameType::kContinuation: {
      const auto fragment = http2::parse_continuation(header, payload);
      if (!fragment) return fail(fragment.error(), out);
      if (header.stream_id != active_->block_stream) {
        return fail(ErrorCode::kProtocolError, "CONTINUATION without its header block", out);
      }
      return on_fragment(*fragment, header.has(flags::kEndHeaders), out);
    }
    case FrameType::kSettings:
      return on_settings(header, payload, out);
    case FrameType::kPing: {
      const auto opaque = http2::parse_ping(header, payload);
      if (!opaque) return fail(opaque.error(), out);
      if (!header.has(flags::kAck)) FrameWriter(out).ping(*opaque, true);
      return;
    }
    case FrameType::kRstStream:
      return on_rst_stream(header, payload, out);
    case FrameType::kGoaway:
      return on_goaway(header, payload, out);
    case FrameType::kPushPromise:
      return fail(ErrorCode::kProtocolError, "PUSH_PROMISE, though push is off", out);
    case FrameType::kWindowUpdate: {
      // Requests have no body, so the server's windows do not matter.
      const auto increment = http2::parse_window_update(header, payload);
      if (!increment && increment.error().connection) fail(increment.error(), out);
      return;
    }
    default:
      return;  // PRIORITY and unknown types
  }
}

void ClientSession::on_data(const FrameHeader& header, Payload payload, Output& out) {
  const auto data = http2::parse_data(header, payload);
  if (!data) return fail(data.error(), out);
  if (header.stream_id > stream_)
    return fail(ErrorCode::kProtocolError, "DATA on an idle stream", out);

  // Padding counts, and so does what is dropped.
  connection_unacked_ += header.length;
  if (connection_unacked_ > kWindow) {
    return fail(ErrorCode::kFlowControlError, "more DATA than the connection's window", out);
  }
  if (connection_unacked_ >= kCreditAt) {
    FrameWriter(out).window_update(0, std::exchange(connection_unacked_, 0));
  }
  if (!is_current(header.stream_id)) return;
  if (active_->answer.status == 0) {
    return reset_stream(ErrorCode::kProtocolError, "DATA before the response's fields", out);
  }
  active_->stream_unacked += header.length;
  if (active_->stream_unacked > kWindow) {
    return reset_stream(ErrorCode::kFlowControlError, "more DATA than the stream's window", out);
  }
  active_->answer.add_body(data->data);
  if (header.has(flags::kEndStream)) return finish({});
  if (active_->stream_unacked >= kCreditAt) {
    FrameWriter(out).window_update(stream_, std::exchange(active_->stream_unacked, 0));
  }
}

void ClientSession::on_headers(const FrameHeader& header, Payload payload, Output& out) {
  const auto headers = http2::parse_headers(header, payload);
  if (!headers) return fail(headers.error(), out);
  if (header.stream_id > stream_ || header.stream_id % 2 == 0) {
    return fail(ErrorCode::kProtocolError, "HEADERS on a stream that was not opened", out);
  }
  active_->block_stream = header.stream_id;
  active_->block_ends_stream = header.has(flags::kEndStream);
  active_->block_malformed = false;
  active_->block_status = 0;
  active_->block_bytes = 0;
  on_fragment(headers->fragment, header.has(flags::kEndHeaders), out);
}

void ClientSession::on_fragment(Payload fragment, bool end_of_block, Output& out) {
  if (!active_->decoder.decode(fragment, end_of_block, *active_)) {
    return fail(ErrorCode::kCompressionError, "fields that do not decode", out);
  }
  if (active_->block_bytes > kMaxFieldBytes) {
    return fail(ErrorCode::kEnhanceYourCalm, "more than 1 MiB of fields", out);
  }
  if (end_of_block) on_block_end(out);
}

void ClientSession::on_block_end(Output& out) {
  // Blocks of earlier streams are decoded, to stay in step, and dropped.
  const http2::StreamId stream = std::exchange(active_->block_stream, 0);
  if (!is_current(stream)) return;
  const bool ends = active_->block_ends_stream;
  const std::uint16_t status = active_->block_status;
  if (active_->answer.status != 0) {  // trailers
    if (status != 0 || active_->block_malformed || !ends) {
      return reset_stream(ErrorCode::kProtocolError, "malformed trailers", out);
    }
    return finish({});
  }
  const bool interim = status >= 100 && status < 200;
  if (active_->block_malformed || status == 0 || status == 101 || (interim && ends)) {
    return reset_stream(ErrorCode::kProtocolError, "a malformed status", out);
  }
  if (interim) return;
  active_->answer.status = status;
  if (ends) finish({});
}

void ClientSession::on_settings(const FrameHeader& header, Payload payload, Output& out) {
  const auto count = http2::parse_settings(header, payload);
  if (!count) return fail(count.error(), out);
  if (header.has(flags::kAck)) return;
  settings_seen_ = true;
  for (std::size_t i = 0; i < *count; ++i) {
    const http2::Setting setting = http2::setting_at(payload, i);
    if (const auto good = http2::check_setting(setting); !good) return fail(good.error(), out);
    if (setting.id == http2::setting::kHeaderTableSize) limits_.announce(setting.value);
  }
  FrameWriter(out).settings_ack();
}

void ClientSession::on_rst_stream(const FrameHeader& header, Payload payload, Output& out) {
  const auto code = http2::parse_rst_stream(header, payload);
  if (!code) return fail(code.error(), out);
  if (header.stream_id > stream_) {
    return fail(ErrorCode::kProtocolError, "RST_STREAM on an idle stream", out);
  }
  if (is_current(header.stream_id)) {
    finish(*code == ErrorCode::kRefusedStream ? "refused by RST_STREAM" : "reset by the server");
  }
}

void ClientSession::on_goaway(const FrameHeader& header, Payload payload, Output& out) {
  const auto goaway = http2::parse_goaway(header, payload);
  if (!goaway) return fail(goaway.error(), out);
  // A drain sends two: the last one tells which streams are still served.
  ending_ = Ending{goaway->error, "GOAWAY", true};
  if (waiting_ && stream_ > goaway->last_stream_id) finish("refused by GOAWAY");
}

void ClientSession::finish(std::string_view failure) {
  waiting_ = false;
  active_->answer.failure = failure;
  active_->done = active_->answer;
}

void ClientSession::reset_stream(ErrorCode code, std::string_view failure, Output& out) {
  FrameWriter(out).rst_stream(stream_, code);
  finish(failure);
}

void ClientSession::fail(ErrorCode code, std::string_view what, Output& out) {
  FrameWriter(out).goaway(0, code, as_bytes(what));
  ending_ = Ending{code, what, false};
  active_->partial = {};
  active_->block_stream = 0;
  if (waiting_) finish(what);
}

}  // namespace perch::load
