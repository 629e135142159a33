// What the network may bring to a TLS connection. The first byte of the input chooses:
//  - noise for a connection that has just been accepted;
//  - a real client's handshake and data, cut, changed, repeated and shortened as the input says;
//  - noise after a real handshake.
#include <cstdint>

#include "perch/base/check.h"
#include "tls/record.h"
#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using testing::ClientOptions;
using testing::Pair;

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  bool empty() const { return rest_.empty(); }
  std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const std::uint8_t first = rest_.front();
    rest_ = rest_.subspan(1);
    return first;
  }
  std::size_t word() { return (std::size_t{byte()} << 8) | byte(); }
  std::span<const std::byte> bytes(std::size_t most) {
    const auto taken = std::as_bytes(rest_.first(std::min(most, rest_.size())));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

 private:
  std::span<const std::uint8_t> rest_;
};

ClientOptions client_of(std::uint8_t choice) {
  ClientOptions options;
  if ((choice & 1) != 0) options.max_version = TLS1_2_VERSION;
  if ((choice & 2) != 0) options.server_name = "localhost";
  if ((choice & 4) != 0) options.alpn = {"h2", "http/1.1"};
  if ((choice & 8) != 0) options.groups = "P-384:P-256";
  if ((choice & 16) != 0) options.wants_staple = true;
  if ((choice & 32) != 0) options.min_version = options.max_version;
  return options;
}

class Script {
 public:
  Script(const std::shared_ptr<const ServerContext>& context, Input input)
      : input_(input), mode_(input_.byte()), pair_(context, client_of(input_.byte())) {}

  void run() {
    if (mode_ % 4 >= 2) pair_.exchange();
    if (mode_ % 2 == 0) {
      while (!input_.empty()) deliver(input_.bytes(1 + input_.byte()));
      return;
    }
    for (int turn = 0; turn < 12; ++turn) {
      if (pair_.client.can_send()) act();
      std::vector<std::byte> bytes = pair_.client.take_output();
      change(bytes);
      for (std::span<const std::byte> rest = bytes; !rest.empty();) {
        const std::size_t size = std::min(rest.size(), 1 + input_.word());
        deliver(rest.first(size));
        rest = rest.subspan(size);
      }
      pair_.client.receive(std::exchange(pair_.to_client, {}));
    }
  }

 private:
  // What an honest client may do.
  void act() {
    switch (input_.byte() % 6) {
      case 0:
        return pair_.client.send(std::string(1 + input_.byte() * std::size_t{90}, 'x'));
      case 1:
        if (pair_.server.version() == Version::kTls13) pair_.client.update_key(input_.byte() % 2);
        return;
      case 2:
        return pair_.seal("answer");
      case 3:
        if (input_.byte() % 4 == 0) pair_.client.close();
        return;
      case 4:
        if (input_.byte() % 4 == 0) pair_.server.close(pair_.to_client);
        return;
      default:
        return;
    }
  }

  void change(std::vector<std::byte>& bytes) {
    const int changes = input_.byte() % 4;
    for (int i = 0; i < changes && !bytes.empty(); ++i) {
      const std::size_t at = input_.word() % bytes.size();
      const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
      switch (input_.byte() % 4) {
        case 0:
          *place ^= std::byte(input_.byte());
          break;
        case 1:
          bytes.erase(place, place + std::min<std::ptrdiff_t>(input_.byte(), bytes.end() - place));
          break;
        case 2: {
          const auto noise = input_.bytes(input_.byte());
          bytes.insert(place, noise.begin(), noise.end());
          break;
        }
        default: {
          const std::vector<std::byte> again(place, bytes.end());
          bytes.insert(bytes.end(), again.begin(), again.end());
          break;
        }
      }
    }
  }

  void deliver(std::span<const std::byte> bytes) {
    const Connection::State before = pair_.server.state();
    const std::size_t output = pair_.to_client.size();
    pair_.deliver(bytes);
    const Connection& server = pair_.server;
    PERCH_CHECK(server.held_bytes() <= kRecordHeaderBytes + kMaxCiphertextBytes);
    PERCH_CHECK(server.failure().has_value() == (server.state() == Connection::State::kFailed));
    PERCH_CHECK(before != Connection::State::kFailed || pair_.to_client.size() == output);
    PERCH_CHECK(pair_.to_client.size() - output <= 8192 + 2 * bytes.size());
    PERCH_CHECK(server.state() != Connection::State::kFailed || server.held_bytes() == 0);
  }

  Input input_;
  std::uint8_t mode_;
  Pair pair_;
};

}  // namespace
}  // namespace perch::tls

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto context = perch::tls::testing::localhost_context();
  perch::tls::Script(context, perch::tls::Input(data, size)).run();
  return 0;
}
