// Feeds a session with what a client, its owner and the clock might do, as the input says: whole
// frames, mangled ones and noise, cut anywhere; answers of all kinds; tiny writes; parking at every
// opportunity. The scripted client and owner judge what comes out.
#include <array>
#include <cstdint>

#include "http2/testing/wire.h"
#include "perch/base/check.h"

namespace perch::http2 {
namespace {

using testing::Delivery;
using testing::FieldLines;
using testing::Wire;

constexpr std::array kPaths = {
    "/",           "/bytes/0",       "/bytes/40000", "/stream/30", "/stream/20000",
    "/trailers/7", "/trailers/3000", "/head/1",      "/head/2",    "/head/9",
    "/status/204", "/status/304",    "/echo",        "/early",     "/interim",
    "/fail",       "/hold",          "/refuse"};

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return size_ == 0; }
  std::uint8_t byte() {
    if (size_ == 0) return 0;
    --size_;
    return *data_++;
  }
  std::uint32_t word() {
    std::uint32_t value = byte();
    return (value << 24) | std::uint32_t{byte()} << 16 | std::uint32_t{byte()} << 8 | byte();
  }
  std::span<const std::byte> bytes(std::size_t most) {
    const std::size_t taken = std::min(most, size_);
    const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data_), taken);
    data_ += taken;
    size_ -= taken;
    return bytes;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

class Script {
 public:
  Script(Input input) : input_(input), wire_(delivery(input_.byte()), options(input_.byte())) {
    wire_.produce_limit = 1 + input_.byte() * std::size_t{64};
    wire_.owner.consume_at_once = input_.byte() % 2 == 0;
  }

  void run() {
    if (input_.byte() % 8 != 0) wire_.handshake();
    while (!input_.empty()) {
      step();
      check();
    }
    wire_.exchange();
    check();
  }

 private:
  static Delivery delivery(std::uint8_t choice) { return testing::kDeliveries[choice % 3]; }
  static SessionOptions options(std::uint8_t choice) {
    SessionOptions options;
    if ((choice & 1) != 0) options.max_concurrent_streams = 3;
    if ((choice & 2) != 0) options.initial_window_bytes = 100;
    if ((choice & 4) != 0) options.connection_window_bytes = 1;
    if ((choice & 8) != 0) options.header_bytes = 300;
    if ((choice & 16) != 0) options.queued_control_frames = 5;
    if ((choice & 32) != 0) options.initial_window_bytes = 1 << 20;
    return options;
  }

  StreamId stream() { return input_.byte() % 32; }

  void step() {
    auto& client = wire_.client;
    switch (input_.byte() % 20) {
      case 0:
        client.ignore_windows();
        return client.raw(input_.bytes(input_.byte()));
      case 1: {
        client.ignore_windows();
        const auto payload = input_.bytes(input_.byte() % 64);
        std::byte header[kFrameHeaderBytes];
        write_frame_header(
            {static_cast<std::uint32_t>(payload.size()),
             FrameType{static_cast<std::uint8_t>(input_.byte() % 18)}, input_.byte(), stream()},
            header);
        client.raw(std::span<const std::byte>(header));
        return client.raw(payload);
      }
      case 2:
      case 3:
      case 4: {
        FieldLines fields = testing::get(kPaths[input_.byte() % kPaths.size()]);
        const std::uint8_t extras = input_.byte();
        if ((extras & 1) != 0) fields[0].second = "POST";
        if ((extras & 2) != 0) fields[0].second = "HEAD";
        if ((extras & 4) != 0) fields.emplace_back("priority", "u=1, i");
        if ((extras & 8) != 0) fields.emplace_back("content-length", "5");
        if ((extras & 16) != 0) fields.emplace_back("cookie", "a=b");
        if ((extras & 32) != 0) fields.emplace_back("x-long", std::string(200, 'x'));
        next_ += 2;
        return client.request_in_parts(next_, fields, 1 + input_.byte() * std::size_t{16},
                                       (extras & 64) == 0);
      }
      case 5:
        return client.data(stream(), testing::pattern(input_.byte() * std::size_t{32}),
                           input_.byte() % 2 == 0);
      case 6:
        return client.frames().data(stream(), input_.bytes(4), input_.byte() % 2 == 0,
                                    input_.byte());
      case 7:
        return client.trailers(stream(), {{"x-trailer", "t"}});
      case 8:
        return client.window_update(stream(), input_.word() >> (input_.byte() % 31));
      case 9:
        return client.settings({{setting::kInitialWindowSize, input_.word() >> 14}});
      case 10:
        return client.settings({{setting::kHeaderTableSize, input_.word() % 5000}});
      case 11:
        return client.settings_ack();
      case 12:
        return client.reset(stream());
      case 13:
        return client.ping(input_.byte());
      case 14:
        return respond();
      case 15:
        return consume();
      case 16:
        wire_.pass(std::chrono::milliseconds(input_.byte() * 50));
        return wire_.session().check_deadlines(wire_.now);
      case 17:
        if (input_.byte() % 4 == 0) return wire_.session().shutdown();
        return wire_.session().announce_shutdown();
      case 18:
        ++wire_.date_epoch;
        wire_.date[26] = static_cast<char>('A' + wire_.date_epoch % 26);
        return wire_.deliver();
      default:
        return wire_.exchange();
    }
  }

  void respond() {
    const StreamId id = stream();
    if (!wire_.owner.knows(id)) return;
    const auto& request = wire_.owner.request(id);
    if (request.open == nullptr || request.open->responded()) return;
    switch (input_.byte() % 4) {
      case 0:
        return wire_.session().reset(*request.open, ErrorCode::kCancel);
      case 1:
        return wire_.session().inform(*request.open, 103);
      default:
        return wire_.owner.respond(id, http::Response::text(testing::pattern(input_.byte())));
    }
  }

  void consume() {
    const StreamId id = stream();
    if (!wire_.owner.knows(id)) return;
    const auto& request = wire_.owner.request(id);
    if (request.open == nullptr) return;
    wire_.owner.consume(id, std::min<std::size_t>(request.held, input_.byte()));
  }

  void check() {
    PERCH_CHECK(wire_.violation().empty());
    Session& session = wire_.session();
    PERCH_CHECK(!session.failed() || session.open_streams() == 0);
    std::size_t open = 0;
    for (const auto& request : wire_.owner.requests()) {
      PERCH_CHECK(request.closed == (request.open == nullptr ? 1 : 0));
      open += request.open != nullptr ? 1 : 0;
    }
    PERCH_CHECK(open <= session.open_streams());
    PERCH_CHECK(session.open_streams() <= wire_.options().max_concurrent_streams);
  }

  Input input_;
  Wire wire_;
  StreamId next_ = UINT32_MAX;  // the first is 1
};

}  // namespace
}  // namespace perch::http2

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  perch::http2::Script(perch::http2::Input(data, size)).run();
  return 0;
}
