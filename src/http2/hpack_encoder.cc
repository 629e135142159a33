#include <algorithm>

#include "http2/hpack_encoder_table.h"
#include "http2/hpack_hash.h"
#include "http2/hpack_static_table.h"
#include "http2/hpack_write.h"
#include "perch/http2/hpack.h"

namespace perch::http2 {

HpackEncoder::HpackEncoder(std::uint32_t own_limit)
    : own_limit_(own_limit), smallest_target_(target()) {}
HpackEncoder::~HpackEncoder() = default;
HpackEncoder::HpackEncoder(HpackEncoder&&) noexcept = default;
HpackEncoder& HpackEncoder::operator=(HpackEncoder&&) noexcept = default;

std::uint32_t HpackEncoder::target() const { return std::min(own_limit_, peer_limit_); }

void HpackEncoder::set_peer_limit(std::uint32_t bytes) {
  peer_limit_ = bytes;
  smallest_target_ = std::min(smallest_target_, target());
  // A block encoded before would lack the update.
  if (size_update_pending()) ++revision_;
}

bool HpackEncoder::size_update_pending() const {
  return smallest_target_ < in_force_ || target() != in_force_;
}

void HpackEncoder::begin_block(std::vector<std::byte>& out) {
  if (!size_update_pending()) return;
  // A dip since the last block evicts, even where the size is back to what it was (RFC 7541 4.2).
  const std::uint32_t lowest = std::min(smallest_target_, target());
  if (lowest < target() && lowest < in_force_) {
    hpack::append_integer(hpack::kSizeUpdate, lowest, out);
  }
  hpack::append_integer(hpack::kSizeUpdate, target(), out);
  if (table_ != nullptr) {
    table_->evict_to(lowest);
    if (table_->count() == 0) table_.reset();
  }
  in_force_ = smallest_target_ = target();
  ++revision_;
}

void HpackEncoder::encode(std::string_view name, std::string_view value, Indexing indexing,
                          std::vector<std::byte>& out) {
  const std::uint32_t name_hash = hpack_hash(name);
  const StaticMatch known = find_static(name, name_hash, value);
  if (known.value && indexing != Indexing::kNever) {
    return hpack::append_integer(hpack::kIndexed, known.index, out);
  }
  std::uint32_t hash = 0;
  if (indexing != Indexing::kNever) {
    hash = hpack_hash(value, name_hash);
    const std::uint32_t age = table_ == nullptr ? 0 : table_->find(name, value, hash);
    if (age != 0) return hpack::append_integer(hpack::kIndexed, kStaticEntries + age, out);
  }
  std::uint32_t name_index = known.index;
  if (name_index == 0 && table_ != nullptr) {
    const std::uint32_t age = table_->find_name(name);
    if (age != 0) name_index = kStaticEntries + age;
  }
  hpack::Pattern pattern = hpack::kLiteralWithout;
  if (indexing == Indexing::kNever) {
    pattern = hpack::kLiteralNever;
  } else if (indexing == Indexing::kIncremental && hpack_entry_size(name, value) <= in_force_) {
    // A larger one would only empty the table (RFC 7541 section 4.4).
    pattern = hpack::kLiteralIncremental;
    if (table_ == nullptr) table_ = std::make_unique<Table>();
    table_->insert(name, value, hash, in_force_);
    ++revision_;
  }
  hpack::append_literal(pattern, name_index, name, value, out);
}

std::uint32_t HpackEncoder::revision() const { return revision_; }
std::uint32_t HpackEncoder::table_size_in_force() const { return in_force_; }
std::size_t HpackEncoder::entries() const { return table_ == nullptr ? 0 : table_->count(); }

void HpackEncoder::forget() {
  table_.reset();
  ++revision_;
}

void HpackEncoder::assume_table_size(std::uint32_t bytes) {
  in_force_ = bytes;
  smallest_target_ = target();
  ++revision_;
}

}  // namespace perch::http2
