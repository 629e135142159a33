#include "tls/testing/pair.h"

#include <algorithm>

#include "perch/base/check.h"

namespace perch::tls::testing {

std::shared_ptr<const ServerContext> localhost_context(
    const std::function<void(ServerContextOptions&)>& adapt) {
  static const Folder folder;
  static const CertificateFiles files = folder.write(
      "localhost", Authority().issue({.common_name = "localhost", .names = {"localhost"}}));
  ServerContextOptions options;
  options.certificates = {files};
  if (adapt) adapt(options);
  auto context = ServerContext::create(options);
  PERCH_CHECK(context.has_value());
  return *context;
}

void Pair::deliver(std::span<const std::byte> bytes, std::size_t piece) {
  while (!bytes.empty()) {
    const std::size_t size = std::min(piece, bytes.size());
    // A copy of its own, so that AddressSanitizer sees what is used after the call.
    const std::vector<std::byte> copy(bytes.begin(),
                                      bytes.begin() + static_cast<std::ptrdiff_t>(size));
    server.receive(copy, *this, to_client);
    bytes = bytes.subspan(size);
  }
}

void Pair::exchange(std::size_t piece) {
  while (true) {
    const auto to_server = client.take_output();
    if (to_server.empty() && to_client.empty()) return;
    deliver(to_server, piece);
    const auto from_server = std::exchange(to_client, {});
    std::span<const std::byte> rest = from_server;
    while (!rest.empty()) {
      const std::size_t size = std::min(piece, rest.size());
      client.receive(rest.first(size));
      rest = rest.subspan(size);
    }
  }
}

}  // namespace perch::tls::testing
