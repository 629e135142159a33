#include "http1/testing/wire.h"

#include <algorithm>

namespace perch::http1::testing {

std::string_view to_string(Delivery delivery) {
  switch (delivery) {
    case Delivery::kWhole:
      return "whole";
    case Delivery::kByteByByte:
      return "byte by byte";
    case Delivery::kRandomCuts:
      return "random cuts";
    case Delivery::kParked:
      return "parked";
  }
  return "";
}

Wire::Wire(Delivery delivery, const SessionOptions& options, std::uint32_t seed)
    : options_(options),
      delivery_(delivery),
      session_(std::make_unique<Session>(options_, owner, now)),
      random_(seed) {
  owner.set_session(session_.get());
}

void Wire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t size = bytes.size();
    if (delivery_ == Delivery::kByteByByte || delivery_ == Delivery::kParked) size = 1;
    if (delivery_ == Delivery::kRandomCuts) {
      size = std::min<std::size_t>(size, 1 + random_() % (random_() % 4 == 0 ? 2000 : 20));
    }
    feed(bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

void Wire::feed(std::string_view bytes) {
  unread_.append(bytes);
  exchange();
  if (delivery_ == Delivery::kParked) park();
}

void Wire::exchange() {
  while (true) {
    const bool wanted = session_->wants_input() && !unread_.empty();
    const std::size_t used = unread_.empty() ? 0 : session_->receive(as_bytes(unread_), now);
    if (wanted && used == 0) error_ = "input wanted, but not taken";
    unread_.erase(0, used);
    const bool writes = session_->wants_output();
    while (session_->wants_output()) {
      session_->produce(out_, produce_limit, {kDate, 1});
      http::OutputQueue::Piece pieces[8];
      const std::size_t before = wire_.size();
      while (const std::size_t count = out_.gather(pieces)) {
        std::size_t size = 0;
        for (const auto& piece : std::span(pieces).first(count)) {
          wire_.append(reinterpret_cast<const char*>(piece.data), piece.size);
          size += piece.size;
        }
        out_.consume(size);
      }
      if (wire_.size() == before && session_->wants_output()) {
        error_ = "output wanted, but not given";
        return;
      }
    }
    if (used == 0 && !writes) return;
  }
}

bool Wire::park() {
  if (!session_->can_park() || !unread_.empty()) return false;
  std::vector<std::byte> record;
  session_->park(record, now);
  session_ = Session::restore(record, options_, owner, now);
  owner.set_session(session_.get());
  ++times_parked_;
  return true;
}

std::vector<ReceivedResponse> Wire::responses() {
  std::vector<std::string> methods;
  for (const ScriptedOwner::Request& request : owner.requests()) methods.push_back(request.method);
  std::string error;
  auto all = read_responses(wire_, methods, session_->finished(), error);
  if (!error.empty()) error_ = error;
  return all;
}

std::string Wire::summary() {
  std::string text;
  for (const ScriptedOwner::Request& request : owner.requests()) {
    if (!text.empty()) text += ", ";
    text += request.method + " " + request.target;
    if (!request.body.empty()) text += "=" + request.body;
    for (const auto& [name, value] : request.trailers) text += "+" + name + ":" + value;
    if (request.closed > 0 && request.end == http::StreamEnd::kFailed) text += "!";
    if (request.closed > 0 && request.end == http::StreamEnd::kReset) text += "~";
  }
  if (!text.empty()) text += " ";
  text += "=>";
  for (const ReceivedResponse& response : responses()) {
    text += " " + std::to_string(response.status) + (response.complete ? "" : "...");
  }
  if (session_->finished()) return text + " closed";
  return text + (session_->can_park() ? " open" : " waiting");
}

const std::string& Wire::violation() const {
  return owner.violation().empty() ? error_ : owner.violation();
}

}  // namespace perch::http1::testing
