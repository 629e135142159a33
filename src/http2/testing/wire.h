// A session, its owner and its client joined without a network, and the ways in which bytes can
// come: all at once, one by one, or with the session parked and restored wherever it may be.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http2/testing/scripted_client.h"
#include "http2/testing/scripted_owner.h"
#include "perch/http2/session.h"

namespace perch::http2::testing {

enum class Delivery : std::uint8_t { kWhole, kByteByByte, kParked };
inline constexpr Delivery kDeliveries[] = {Delivery::kWhole, Delivery::kByteByByte,
                                           Delivery::kParked};
std::string_view to_string(Delivery delivery);

inline constexpr std::string_view kDate = "Mon, 30 Nov 2026 12:00:00 GMT";

class Wire {
 public:
  explicit Wire(Delivery delivery = Delivery::kWhole, const SessionOptions& session_options = {});

  ScriptedClient client;
  ScriptedOwner owner;
  Instant now{1'000'000'000'000};
  std::string date{kDate};
  std::uint32_t date_epoch = 1;
  std::size_t produce_limit = std::size_t{1} << 20;

  Session& session() { return *session_; }
  const SessionOptions& options() const { return options_; }
  void pass(Duration time) { now = now + time; }

  // The client's preface with these settings, and the acknowledgement of the session's; the
  // session's answers are dropped.
  void handshake(std::vector<Setting> settings = {});
  // Delivers what the client has written, then lets the session write until it has nothing more.
  void exchange();
  // The two halves of exchange.
  void deliver();
  void collect();
  // Descriptions of what has come since the last call, joined by "; ". Exchanges first.
  std::string answer();
  // The frames themselves.
  std::vector<ReceivedFrame> take();

  // Parks and restores where can_park(); says whether it did.
  bool park();
  const std::vector<std::byte>& last_record() const { return record_; }
  int times_parked() const { return times_parked_; }
  std::size_t unread() const { return unread_.size(); }
  // The bytes that came from the session since the last call.
  std::vector<std::byte> take_wire() { return std::exchange(wire_, {}); }
  // A breach by either side, or "".
  std::string violation() const;

 private:
  void feed(std::span<const std::byte> bytes);

  SessionOptions options_;
  Delivery delivery_;
  std::unique_ptr<Session> session_;
  OutputQueue out_;
  std::vector<std::byte> unread_;
  std::vector<std::byte> record_;
  std::vector<std::byte> wire_;
  int times_parked_ = 0;
};

}  // namespace perch::http2::testing
