#include "http2/testing/wire.h"

#include "perch/base/check.h"

namespace perch::http2::testing {

std::string_view to_string(Delivery delivery) {
  switch (delivery) {
    case Delivery::kWhole:
      return "whole";
    case Delivery::kByteByByte:
      return "byte by byte";
    case Delivery::kParked:
      return "parked in between";
  }
  return "";
}

Wire::Wire(Delivery delivery, const SessionOptions& session_options)
    : options_(session_options), delivery_(delivery) {
  session_ = std::make_unique<Session>(options_, owner, now);
  owner.set_session(session_.get());
}

void Wire::handshake(std::vector<Setting> settings) {
  client.preface();
  client.settings(std::move(settings));
  client.settings_ack();
  exchange();
  client.forget_received();
}

void Wire::exchange() {
  deliver();
  collect();
  if (delivery_ == Delivery::kParked) park();
}

void Wire::deliver() {
  const std::vector<std::byte> bytes = client.take_output();
  if (delivery_ == Delivery::kByteByByte) {
    for (const std::byte& byte : bytes) feed({&byte, 1});
  } else {
    feed(bytes);
  }
}

void Wire::feed(std::span<const std::byte> bytes) {
  unread_.insert(unread_.end(), bytes.begin(), bytes.end());
  const std::size_t used = session_->receive(unread_, now);
  PERCH_CHECK(used <= unread_.size());
  unread_.erase(unread_.begin(), unread_.begin() + static_cast<std::ptrdiff_t>(used));
}

void Wire::collect() {
  while (session_->wants_output()) {
    session_->produce(out_, produce_limit, {date, date_epoch});
    while (!out_.empty()) {
      OutputQueue::Piece pieces[4];
      const std::size_t count = out_.gather(pieces);
      PERCH_CHECK(count > 0);
      const std::span<const std::byte> bytes(pieces[0].data, pieces[0].size);
      client.receive(bytes);
      wire_.insert(wire_.end(), bytes.begin(), bytes.end());
      out_.consume(bytes.size());
    }
  }
}

std::string Wire::answer() {
  exchange();
  std::string text;
  for (const ReceivedFrame& frame : client.received()) {
    if (!text.empty()) text += "; ";
    text += frame.describe();
  }
  client.forget_received();
  return text;
}

std::vector<ReceivedFrame> Wire::take() {
  exchange();
  std::vector<ReceivedFrame> frames = client.received();
  client.forget_received();
  return frames;
}

bool Wire::park() {
  if (!session_->can_park() || !unread_.empty()) return false;
  record_.clear();
  session_->park(record_, now);
  session_.reset();
  session_ = Session::restore(record_, options_, owner, now);
  PERCH_CHECK(session_ != nullptr);
  owner.set_session(session_.get());
  ++times_parked_;
  return true;
}

std::string Wire::violation() const {
  return owner.violation().empty() ? client.violation() : owner.violation();
}

}  // namespace perch::http2::testing
