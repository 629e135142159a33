// Clients that leave responses waiting at closed windows: what they hold back here must have an
// end.
#include <vector>

#include "perch/http2/session.h"

namespace perch::http2 {

void Session::check_stalls(Instant now) {
  const auto stalled = [&](StallMeter& meter, bool closed) {
    return meter.stalled(closed, now, options_.stall_timeout, options_.minimum_rate);
  };
  bool waiting = false;
  std::vector<StreamId> slow;
  streams_.for_each([&](Stream& stream) {
    if (stream.phase_ != Stream::Phase::kBody) return;
    waiting = true;
    if (stalled(stream.stall_, stream.send_window_ <= 0)) slow.push_back(stream.id());
  });
  for (const StreamId id : slow) {
    stream_error(id, ErrorCode::kEnhanceYourCalm);
    if (failed_) return;
  }
  // The connection's window is everybody's: streams that wait behind others are not to blame.
  if (stalled(stall_, waiting && send_window_ <= 0)) {
    fail(ErrorCode::kEnhanceYourCalm, "the connection's window stayed closed");
  }
}

}  // namespace perch::http2
