// The framing of TLS records (RFC 8446 section 5.1): as much as can be told without a key.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "perch/tls/connection.h"

namespace perch::tls {

inline constexpr std::size_t kRecordHeaderBytes = 5;
// The most that TLS 1.2 allows; TLS 1.3 allows 256 bytes above the plaintext.
inline constexpr std::size_t kMaxCiphertextBytes = kMaxPlaintextBytes + 2048;

enum class ContentType : std::uint8_t {
  kChangeCipherSpec = 20,
  kAlert = 21,
  kHandshake = 22,
  kApplicationData = 23,
};

// The size of the record that begins with `header`, its header included. For a header that no
// record of TLS can have it is the header's size alone: nobody should wait for more.
// REQUIRES: kRecordHeaderBytes of header.
std::size_t record_size(std::span<const std::byte> header);

}  // namespace perch::tls
