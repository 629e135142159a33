#include "http2/hpack_encoder_table.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "perch/base/check.h"

namespace perch::http2 {

HpackEncoder::Table::~Table() {
  evict_to(0);
  if (entries_ != nullptr) memory::deallocate(entries_, storage_bytes(capacity_));
}

std::uint32_t HpackEncoder::Table::find(std::string_view name, std::string_view value,
                                        std::uint32_t hash) const {
  if (count_ == 0) return 0;
  std::uint32_t last_age = 0;
  std::uint32_t age = next_ - bucket(hash);
  // Ages ascend along a chain; what does not is a link so old that sequences have wrapped since.
  while (age > last_age && age <= count_) {
    const Entry& entry = at(next_ - age);
    if (entry.hash == hash && entry.name() == name && entry.value() == value) return age;
    last_age = age;
    age = next_ - entry.previous;
  }
  return 0;
}

std::uint32_t HpackEncoder::Table::find_name(std::string_view name) const {
  for (std::uint32_t age = 1; age <= count_; ++age) {
    if (at(next_ - age).name() == name) return age;
  }
  return 0;
}

void HpackEncoder::Table::insert(std::string_view name, std::string_view value, std::uint32_t hash,
                                 std::size_t limit) {
  const std::size_t size = hpack_entry_size(name, value);
  PERCH_DCHECK(size <= limit);
  evict_to(limit - size);
  if (count_ == capacity_) grow();
  char* text = static_cast<char*>(memory::allocate(name.size() + value.size()));
  std::copy(name.begin(), name.end(), text);
  std::copy(value.begin(), value.end(), text + name.size());
  std::uint32_t& newest = bucket(hash);
  at(next_) = {.text = text,
               .name_size = static_cast<std::uint32_t>(name.size()),
               .value_size = static_cast<std::uint32_t>(value.size()),
               .hash = hash,
               .previous = newest};
  newest = next_++;
  ++count_;
  bytes_ += static_cast<std::uint32_t>(size);
}

void HpackEncoder::Table::evict_to(std::size_t limit) {
  while (bytes_ > limit) {
    const Entry& oldest = at(next_ - count_);
    bytes_ -= static_cast<std::uint32_t>(hpack_entry_size(oldest.name(), oldest.value()));
    memory::deallocate(oldest.text, oldest.name_size + oldest.value_size);
    --count_;
  }
}

void HpackEncoder::Table::grow() {
  constexpr std::uint32_t kFirstCapacity = 8;
  const std::uint32_t capacity = std::max(kFirstCapacity, 2 * capacity_);
  void* storage = memory::allocate(storage_bytes(capacity));
  Entry* entries = static_cast<Entry*>(storage);
  auto* buckets = reinterpret_cast<std::uint32_t*>(entries + capacity);
  // A sequence that is never a live entry's again, until sequences wrap.
  std::uninitialized_fill_n(buckets, capacity, next_ - count_ - 1);
  for (std::uint32_t age = count_; age > 0; --age) {
    const std::uint32_t sequence = next_ - age;
    Entry* entry = std::construct_at(&entries[sequence & (capacity - 1)], at(sequence));
    entry->previous = std::exchange(buckets[entry->hash & (capacity - 1)], sequence);
  }
  if (entries_ != nullptr) memory::deallocate(entries_, storage_bytes(capacity_));
  entries_ = entries;
  buckets_ = buckets;
  capacity_ = capacity;
}

}  // namespace perch::http2
