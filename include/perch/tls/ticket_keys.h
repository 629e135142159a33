// The keys that seal session tickets (RFC 8446 section 4.6.1, RFC 5077): one that seals, and older
// ones that still open.
//
// Give the same object to every ServerContext, so that tickets outlive a reload. Processes that
// share a port load the same bytes, and whoever writes those bytes rotates them; `replace` takes
// them over. With random keys the owner calls `rotate` every few hours: a ticket can be redeemed
// until its key has been rotated out, that is after kMaxKeys rotations.
//
// Thread-safety: all members may be called from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perch/base/error.h"

namespace perch::tls {

// 16 bytes of name, 32 of an AES-256-CBC key, 32 of an HMAC-SHA-256 key: the layout of nginx's
// ticket key files. Wiped when destroyed.
struct TicketKey {
  std::array<std::byte, 16> name{};
  std::array<std::byte, 32> cipher_key{};
  std::array<std::byte, 32> mac_key{};

  TicketKey() = default;
  TicketKey(const TicketKey&) = default;
  TicketKey& operator=(const TicketKey&) = default;
  ~TicketKey();
};

class TicketKeys {
 public:
  static constexpr std::size_t kKeyBytes = 80;
  static constexpr std::size_t kMaxKeys = 3;

  // One random key.
  static std::shared_ptr<TicketKeys> random();
  // 1 to kMaxKeys keys of kKeyBytes each, the one that seals first.
  static Result<std::shared_ptr<TicketKeys>> from_bytes(std::span<const std::byte> keys);
  // The same from a file. Errors name it.
  static Result<std::shared_ptr<TicketKeys>> from_file(const std::string& path);

  // A new random key seals; the others move down one place, and the last of kMaxKeys is forgotten.
  void rotate();
  // As from_bytes, in place. On an error nothing changes.
  Result<void> replace(std::span<const std::byte> keys);
  // As `replace` wants them. Whoever calls this has secrets to look after.
  std::vector<std::byte> to_bytes() const;

  TicketKey current() const;
  struct Found {
    TicketKey key;
    bool current;
  };
  std::optional<Found> find(std::span<const std::byte, 16> name) const;

 private:
  explicit TicketKeys(std::vector<TicketKey> keys) : keys_(std::move(keys)) {}

  mutable std::mutex mutex_;
  std::vector<TicketKey> keys_;  // newest first, never empty
};

}  // namespace perch::tls
