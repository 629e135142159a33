// OpenSSL's transport over the caller's own memory: it reads from a span and appends to a vector.
//
// There is one BIO for each thread, lent to whichever connection is at work: an idle connection
// owns none (a BIO costs about 250 bytes, a memory BIO never shrinks, half a BIO pair holds 17 KB).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tls/openssl.h"

namespace perch::tls {

// While it lives, `ssl` reads `input` and writes to the end of `output`. Scopes nest: a connection
// may seal while it, or another one of the same thread, receives.
class TransportScope {
 public:
  TransportScope(SSL* ssl, std::span<const std::byte> input, std::vector<std::byte>& output);
  ~TransportScope();
  TransportScope(const TransportScope&) = delete;
  TransportScope& operator=(const TransportScope&) = delete;

  // What has not been read. After the handshake this is what the client sent in its last flight.
  static std::span<const std::byte> unread();
  // Nothing more is read in this scope.
  static void stop_reading();

 private:
  SSL* attached_ = nullptr;
  std::span<const std::byte> outer_input_;
  std::vector<std::byte>* outer_output_;
};

}  // namespace perch::tls
