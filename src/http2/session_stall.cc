// Clients that leave responses waiting at closed windows: what they hold back here must have an
// end.
//
// Looked at now and then. A window that is closed at every look, in a period of stall_timeout in
// which too little was let through, is a stall; whether it opened by a byte in between says
// nothing.
#include "perch/http2/session.h"

namespace perch::http2 {
namespace {

std::uint32_t milliseconds_of(Instant now) {
  return static_cast<std::uint32_t>(now.milliseconds());
}

}  // namespace

bool Session::too_slow(std::uint32_t since_ms, std::uint64_t bytes, Instant now) const {
  const std::uint64_t elapsed_ms = milliseconds_of(now) - since_ms;
  return bytes == 0 || bytes * 1'000 < elapsed_ms * options_.minimum_rate;
}

void Session::check_stalls(Instant now) {
  const std::uint32_t now_ms = milliseconds_of(now);
  const auto period_ms = static_cast<std::uint32_t>(options_.stall_timeout.count() / 1'000'000);
  bool waiting = false;
  std::vector<StreamId> slow;
  streams_.for_each([&](Stream& stream) {
    if (stream.phase_ != Stream::Phase::kBody) return;
    waiting = true;
    if (stream.send_window_ > 0) {
      stream.stalled_ = false;
    } else if (!stream.stalled_) {
      stream.stalled_ = true;
      stream.stalled_ms_ = now_ms;
      stream.stall_bytes_ = 0;
    } else if (now_ms - stream.stalled_ms_ >= period_ms) {
      if (too_slow(stream.stalled_ms_, stream.stall_bytes_, now)) slow.push_back(stream.id());
      stream.stalled_ = false;
    }
  });
  for (const StreamId id : slow) {
    stream_error(id, ErrorCode::kEnhanceYourCalm);
    if (failed_) return;
  }

  // The connection's window is everybody's: streams that wait behind others are not to blame.
  if (!waiting || send_window_ > 0) {
    stalled_ = false;
  } else if (!stalled_) {
    stalled_ = true;
    stalled_ms_ = now_ms;
    stall_bytes_ = 0;
  } else if (now_ms - stalled_ms_ >= period_ms) {
    if (too_slow(stalled_ms_, stall_bytes_, now)) {
      fail(ErrorCode::kEnhanceYourCalm, "the connection's window stayed closed");
    }
    stalled_ = false;
  }
}

}  // namespace perch::http2
