// What OpenSSL tells a connection while it is at work.
#pragma once

#include <cstddef>
#include <cstdint>

#include "perch/tls/connection.h"
#include "tls/openssl.h"

namespace perch::tls {

// Messages without any data in between that are put up with: KeyUpdates, attempts to renegotiate.
// OpenSSL allows as many empty records.
inline constexpr std::uint16_t kMaxIdleMessages = 32;

struct ConnectionCallbacks {
  // As SSL_set_msg_callback wants it: every message sent or received.
  static void on_message(int sent, int version, int content_type, const void* bytes,
                         std::size_t size, SSL* ssl, void* connection);
};

}  // namespace perch::tls
