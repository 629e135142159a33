// One connection's protocol: HTTP/2 or HTTP/1.1, behind the same calls.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "perch-load/client_session.h"
#include "perch-load/http1_session.h"
#include "perch-load/request_blocks.h"

namespace perch::load {

// The one request of a run, in both protocols' forms.
struct Requests {
  explicit Requests(std::vector<RequestField> fields)
      : text(request_text(fields)), blocks(std::move(fields)) {}

  std::string text;
  RequestBlocks blocks;
};

class HttpSession {
 public:
  explicit HttpSession(bool http1) {
    if (http1) session_.emplace<Http1Session>();
  }

  // As for the two sessions.
  void request(Requests& requests, std::vector<std::byte>& out);
  void receive(std::span<const std::byte> input, std::vector<std::byte>& out);
  void receive_end();  // of the server's bytes
  void say_goodbye(std::vector<std::byte>& out) const;

  bool waiting() const;
  std::optional<Answer> take_answer();
  bool broken() const;
  // Why the connection takes no more requests: "GOAWAY NO_ERROR", "Connection: close",
  // "broke the protocol: ..."; empty: it does.
  std::string ending() const;
  std::string_view protocol() const;  // "HTTP/2"
  std::size_t resting_bytes() const;

 private:
  std::variant<ClientSession, Http1Session> session_;
};

}  // namespace perch::load
