// The first byte chooses. Either the rest is what a client sends, and sessions that get it in
// different pieces must see what the reference sees; or it is a script of what client, owner and
// clock do, and the scripted ends judge what comes out.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "http1/testing/reference.h"
#include "http1/testing/wire.h"
#include "perch/base/bytes.h"
#include "perch/base/check.h"

namespace perch::http1 {
namespace {

using testing::Delivery;
using testing::Wire;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  std::string_view text(std::size_t most) {
    const std::size_t taken = std::min(most, size_);
    const std::string_view text(reinterpret_cast<const char*>(data_), taken);
    data_ += taken;
    size_ -= taken;
    return text;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

void compare(std::string_view input) {
  if (input.size() > 3'000) return;  // the reference knows no limits
  const std::string expected = testing::reference_summary(input);
  for (const Delivery delivery : testing::kDeliveries) {
    Wire wire(delivery);
    wire.owner.echo_all = true;
    wire.send(input);
    PERCH_CHECK(testing::without_status(wire.summary()) == expected);
    PERCH_CHECK(wire.violation().empty());
  }
}

constexpr std::array<std::string_view, 16> kPieces = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /stream/3000 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /trailers/30 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "GET /head/1 HTTP/1.1\r\nHost: a\r\n\r\n",
    "HEAD /sized/50 HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /hold HTTP/1.1\r\nHost: a\r\n\r\n",
    "POST /early HTTP/1.1\r\nHost: a\r\nContent-Length: 30\r\n\r\n",
    "POST /relay HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /continue HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n",
    "POST /hold HTTP/1.1\r\nHost: a\r\nContent-Length: 300\r\n\r\n",
    "GET /fail HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /short HTTP/1.1\r\nHost: a\r\n\r\n",
    "5\r\nhello\r\n",
    "0\r\n\r\n",
    "0\r\nX-Trailer: y\r\n\r\n",
    "\r\n"};

class Script {
 public:
  explicit Script(Input input)
      : input_(input), wire_(testing::kDeliveries[input_.byte() % 4], options(input_.byte())) {
    wire_.produce_limit = 1 + input_.byte() * std::size_t{64};
    wire_.owner.consume_at_once = input_.byte() % 2 == 0;
  }
  void run() {
    while (!input_.empty()) {
      step();
      check();
    }
    wire_.exchange();
    (void)wire_.responses();
    check();
  }

 private:
  static SessionOptions options(std::uint8_t choice) {
    SessionOptions options;
    if ((choice & 1) != 0) options.header_bytes = 300;
    if ((choice & 2) != 0) options.header_fields = 3;
    if ((choice & 4) != 0) options.body_window_bytes = 7;
    if ((choice & 8) != 0) options.discard_bytes = 10;
    if ((choice & 16) != 0) options.body_bytes = 100;
    if ((choice & 32) != 0) options.chunk_extension_bytes = 5;
    if ((choice & 64) != 0) options.target_bytes = 10;
    return options;
  }

  void step() {
    auto& owner = wire_.owner;
    switch (input_.byte() % 12) {
      case 0:
        return wire_.send(input_.text(input_.byte()));
      case 1:
      case 2:
      case 3:
      case 4:
        if (!ended_) wire_.send(kPieces[input_.byte() % kPieces.size()]);
        return;
      case 5:
        if (!ended_) wire_.send(testing::pattern(input_.byte()));
        return;
      case 6:
        if (!owner.has_open() || owner.requests().back().responded) return;
        if (input_.byte() % 4 == 0) return owner.inform(input_.byte() % 2 == 0 ? 100 : 103);
        return owner.respond(http::Response::text(testing::pattern(input_.byte())));
      case 7:
        if (!owner.has_open()) return;
        return owner.consume(std::min<std::size_t>(owner.requests().back().held, input_.byte()));
      case 8:
        wire_.pass(std::chrono::milliseconds(input_.byte() * 200));
        return wire_.session().check_deadlines(wire_.now);
      case 9:
        switch (input_.byte() % 8) {
          case 0:
            return wire_.session().shutdown();
          case 1:
            return wire_.session().announce_shutdown();
          case 2:
            return wire_.session().fail_timeout("the owner's");
          case 3:
            ended_ = true;
            return wire_.session().receive_end();
          default:
            wire_.park();
            return;
        }
      default:
        return wire_.exchange();
    }
  }

  void check() {
    PERCH_CHECK(wire_.violation().empty());
    Session& session = wire_.session();
    PERCH_CHECK(session.quiet() != wire_.owner.has_open());
    PERCH_CHECK(!session.finished() || session.quiet());
    PERCH_CHECK(!session.failed() || session.finished());
    for (const auto& request : wire_.owner.requests()) {
      PERCH_CHECK(request.closed == (request.open == nullptr ? 1 : 0));
      PERCH_CHECK(request.held <= 65'536);
    }
  }

  Input input_;
  Wire wire_;
  bool ended_ = false;
};

void restore(std::string_view record) {
  testing::ScriptedOwner owner;
  const SessionOptions options;
  const auto session = Session::restore(as_bytes(record), options, owner, Instant());
  if (session == nullptr) return;
  std::vector<std::byte> again;
  session->park(again, Instant());
  PERCH_CHECK(as_text(again) == record);
}

}  // namespace
}  // namespace perch::http1

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perch::http1::Input input(data, size);
  switch (input.byte() % 8) {
    case 0:
      perch::http1::restore(input.text(size));
      break;
    case 1:
    case 2:
    case 3:
      perch::http1::compare(input.text(size));
      break;
    default:
      perch::http1::Script(input).run();
  }
  return 0;
}
