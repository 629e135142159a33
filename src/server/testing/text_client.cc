#include "server/testing/text_client.h"

#include <charconv>

#include "perch/base/bytes.h"
#include "server/testing/patience.h"

namespace perch::server::testing {

bool TextClient::send(std::string_view text) { return socket_.send(perch::as_bytes(text)); }

std::string TextClient::read_to(std::string_view end) {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  std::size_t at = 0;
  while ((at = received.find(end)) == std::string::npos) {
    if (!socket_.receive(100, received) || std::chrono::steady_clock::now() >= give_up) return {};
  }
  std::string taken = received.substr(0, at + end.size());
  received.erase(0, at + end.size());
  return taken;
}

std::string TextClient::read_response() {
  std::string response = read_to("\r\n\r\n");
  constexpr std::string_view kLength = "content-length: ";
  const std::size_t at = response.find(kLength);
  if (at == std::string::npos) return response;
  std::size_t length = 0;
  std::from_chars(response.data() + at + kLength.size(), response.data() + response.size(), length);
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (received.size() < length) {
    if (!socket_.receive(100, received) || std::chrono::steady_clock::now() >= give_up) return {};
  }
  response += received.substr(0, length);
  received.erase(0, length);
  return response;
}

bool TextClient::read_to_end() {
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (socket_.receive(100, received) && std::chrono::steady_clock::now() < give_up) {
  }
  return socket_.ended();
}

}  // namespace perch::server::testing
