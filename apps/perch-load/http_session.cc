#include "perch-load/http_session.h"

#include <fmt/format.h>

namespace perch::load {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

}  // namespace

void HttpSession::request(Requests& requests, std::vector<std::byte>& out) {
  std::visit(Overloaded{[&](ClientSession& session) { session.request(requests.blocks, out); },
                        [&](Http1Session& session) { session.request(requests.text, out); }},
             session_);
}

void HttpSession::receive(std::span<const std::byte> input, std::vector<std::byte>& out) {
  std::visit(Overloaded{[&](ClientSession& session) { session.receive(input, out); },
                        [&](Http1Session& session) { session.receive(input); }},
             session_);
}

void HttpSession::receive_end() {
  if (auto* const http1 = std::get_if<Http1Session>(&session_)) http1->receive_end();
}

void HttpSession::say_goodbye(std::vector<std::byte>& out) const {
  if (const auto* const http2 = std::get_if<ClientSession>(&session_)) http2->say_goodbye(out);
}

bool HttpSession::waiting() const {
  return std::visit([](const auto& session) { return session.waiting(); }, session_);
}

std::optional<Answer> HttpSession::take_answer() {
  return std::visit([](auto& session) { return session.take_answer(); }, session_);
}

bool HttpSession::broken() const {
  return std::visit([](const auto& session) { return session.broken(); }, session_);
}

std::string HttpSession::ending() const {
  if (const auto* const http1 = std::get_if<Http1Session>(&session_)) {
    return http1->broken() ? fmt::format("broke the protocol: {}", http1->ending())
                           : std::string(http1->ending());
  }
  const auto& ending = std::get<ClientSession>(session_).ending();
  if (!ending) return {};
  return ending->by_server ? fmt::format("GOAWAY {}", http2::to_string(ending->code))
                           : fmt::format("broke the protocol: {}", ending->what);
}

std::string_view HttpSession::protocol() const {
  return std::holds_alternative<ClientSession>(session_) ? "HTTP/2" : "HTTP/1.1";
}

std::size_t HttpSession::resting_bytes() const {
  return std::visit(Overloaded{[](const ClientSession& session) { return session.resting_bytes(); },
                               [](const Http1Session& session) { return session.held_bytes(); }},
                    session_);
}

}  // namespace perch::load
