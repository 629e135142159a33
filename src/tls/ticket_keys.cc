#include "perch/tls/ticket_keys.h"

#include <algorithm>
#include <cstring>

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include "perch/base/bytes.h"
#include "perch/base/check.h"
#include "tls/openssl.h"

namespace perch::tls {
namespace {

void fill(std::span<std::byte> bytes) {
  PERCH_CHECK(RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                         static_cast<int>(bytes.size())) == 1);
}

TicketKey random_key() {
  TicketKey key;
  fill(key.name);
  fill(key.cipher_key);
  fill(key.mac_key);
  return key;
}

// A vector that never moves its keys leaves no copy behind: room for all is made at once.
std::vector<TicketKey> empty_keys() {
  std::vector<TicketKey> keys;
  keys.reserve(TicketKeys::kMaxKeys + 1);
  return keys;
}

Result<std::vector<TicketKey>> parse(std::span<const std::byte> bytes) {
  if (bytes.empty() || bytes.size() % TicketKeys::kKeyBytes != 0 ||
      bytes.size() / TicketKeys::kKeyBytes > TicketKeys::kMaxKeys) {
    return std::unexpected(Error(
        ErrorCode::kInvalidArgument,
        "ticket keys are 1 to 3 keys of 80 bytes, not " + std::to_string(bytes.size()) + " bytes"));
  }
  std::vector<TicketKey> keys = empty_keys();
  for (; !bytes.empty(); bytes = bytes.subspan(TicketKeys::kKeyBytes)) {
    TicketKey& key = keys.emplace_back();
    std::ranges::copy(bytes.subspan(0, 16), key.name.begin());
    std::ranges::copy(bytes.subspan(16, 32), key.cipher_key.begin());
    std::ranges::copy(bytes.subspan(48, 32), key.mac_key.begin());
  }
  return keys;
}

}  // namespace

TicketKey::~TicketKey() {
  OPENSSL_cleanse(cipher_key.data(), cipher_key.size());
  OPENSSL_cleanse(mac_key.data(), mac_key.size());
}

std::shared_ptr<TicketKeys> TicketKeys::random() {
  std::vector<TicketKey> keys = empty_keys();
  keys.push_back(random_key());
  return std::shared_ptr<TicketKeys>(new TicketKeys(std::move(keys)));
}

Result<std::shared_ptr<TicketKeys>> TicketKeys::from_bytes(std::span<const std::byte> bytes) {
  auto keys = parse(bytes);
  if (!keys) return std::unexpected(std::move(keys.error()));
  return std::shared_ptr<TicketKeys>(new TicketKeys(std::move(*keys)));
}

Result<std::shared_ptr<TicketKeys>> TicketKeys::from_file(const std::string& path) {
  auto text = read_file(path);
  if (!text) return std::unexpected(std::move(text.error()));
  auto keys = from_bytes(as_bytes(*text));
  OPENSSL_cleanse(text->data(), text->size());
  if (!keys) {
    return std::unexpected(Error(keys.error().code(), path + ": " + keys.error().message()));
  }
  return keys;
}

void TicketKeys::rotate() {
  const TicketKey key = random_key();
  const std::scoped_lock lock(mutex_);
  keys_.insert(keys_.begin(), key);
  if (keys_.size() > kMaxKeys) keys_.pop_back();
}

Result<void> TicketKeys::replace(std::span<const std::byte> bytes) {
  auto keys = parse(bytes);
  if (!keys) return std::unexpected(std::move(keys.error()));
  const std::scoped_lock lock(mutex_);
  keys_ = std::move(*keys);
  return {};
}

std::vector<std::byte> TicketKeys::to_bytes() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::byte> bytes;
  bytes.reserve(keys_.size() * kKeyBytes);
  for (const TicketKey& key : keys_) {
    bytes.insert(bytes.end(), key.name.begin(), key.name.end());
    bytes.insert(bytes.end(), key.cipher_key.begin(), key.cipher_key.end());
    bytes.insert(bytes.end(), key.mac_key.begin(), key.mac_key.end());
  }
  return bytes;
}

TicketKey TicketKeys::current() const {
  const std::scoped_lock lock(mutex_);
  return keys_.front();
}

std::optional<TicketKeys::Found> TicketKeys::find(std::span<const std::byte, 16> name) const {
  const std::scoped_lock lock(mutex_);
  for (const TicketKey& key : keys_) {
    if (std::ranges::equal(key.name, name)) return Found{key, &key == &keys_.front()};
  }
  return std::nullopt;
}

}  // namespace perch::tls
