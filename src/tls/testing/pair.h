// A connection under test joined to a client in memory.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "perch/base/bytes.h"
#include "perch/tls/connection.h"
#include "tls/testing/client.h"

namespace perch::tls::testing {

// A context for `localhost` with an ECDSA certificate; `adapt` may change the options.
std::shared_ptr<const ServerContext> localhost_context(
    const std::function<void(ServerContextOptions&)>& adapt = {});

class Pair final : public Sink {
 public:
  explicit Pair(std::shared_ptr<const ServerContext> context, const ClientOptions& options = {})
      : server(std::move(context)), client(options) {}

  // Carries bytes to and fro until both are silent, `piece` at a time in either direction.
  void exchange(std::size_t piece = SIZE_MAX);
  // To the server only.
  void deliver(std::span<const std::byte> bytes, std::size_t piece = SIZE_MAX);
  void seal(std::string_view text) { sealed = server.seal(as_bytes(text), to_client); }

  void on_plaintext(std::span<const std::byte> plaintext) override {
    received += as_text(plaintext);
    ++pieces;
  }

  Connection server;
  Client client;
  std::vector<std::byte> to_client;
  std::string received;  // by the server
  int pieces = 0;
  bool sealed = false;
};

}  // namespace perch::tls::testing
