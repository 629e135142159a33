// A session, its owner and its client joined without a network, and the ways in which bytes can
// come: all at once, one by one, in random pieces, or with the session parked wherever it may be.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "http1/testing/response_reader.h"
#include "http1/testing/scripted_owner.h"
#include "perch/http1/session.h"

namespace perch::http1::testing {

enum class Delivery : std::uint8_t { kWhole, kByteByByte, kRandomCuts, kParked };
inline constexpr Delivery kDeliveries[] = {Delivery::kWhole, Delivery::kByteByByte,
                                           Delivery::kRandomCuts, Delivery::kParked};
std::string_view to_string(Delivery delivery);

inline constexpr std::string_view kDate = "Mon, 30 Nov 2026 12:00:00 GMT";

class Wire {
 public:
  explicit Wire(Delivery delivery = Delivery::kWhole, const SessionOptions& options = {},
                std::uint32_t seed = 1);

  ScriptedOwner owner;
  Instant now{1'000'000'000'000};
  std::size_t produce_limit = std::size_t{1} << 20;

  Session& session() { return *session_; }
  void pass(Duration time) { now = now + time; }

  // Delivers the bytes, and lets the session write whenever it can.
  void send(std::string_view bytes);
  // What the session has to write, and input that it can take again.
  void exchange();
  bool park();
  int times_parked() const { return times_parked_; }
  std::size_t unread() const { return unread_.size(); }

  // All that came from the session, Date fields included.
  const std::string& wire() const { return wire_; }
  std::vector<ReceivedResponse> responses();
  // "GET /, POST /echo=body => 200 200 open". "!" behind a request that failed, "~" behind one that
  // was reset, "..." behind a response that is not complete. The connection is "open" between
  // requests, "closed", or "waiting" for the rest of something.
  std::string summary();
  // A breach by the session, or "".
  const std::string& violation() const;

 private:
  void feed(std::string_view bytes);

  SessionOptions options_;
  Delivery delivery_;
  std::unique_ptr<Session> session_;
  http::OutputQueue out_;
  std::string unread_;
  std::string wire_;
  std::string error_;
  std::minstd_rand random_;
  int times_parked_ = 0;
};

}  // namespace perch::http1::testing
