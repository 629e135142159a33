// What the encoder knows of the peer's dynamic table (RFC 7541 section 2.3.2): its newest entries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "perch/http2/hpack.h"
#include "perch/memory/slab.h"

namespace perch::http2 {

inline constexpr std::size_t kHpackEntryOverhead = 32;  // RFC 7541 section 4.1
constexpr std::size_t hpack_entry_size(std::string_view name, std::string_view value) {
  return name.size() + value.size() + kHpackEntryOverhead;
}

// Entries carry sequence numbers; the age of one is how many came since, itself included, so the
// newest has age 1. They lie in a ring, slot = sequence modulo capacity. Those whose hashes fall
// into one bucket form a chain from the newest to the oldest. An eviction leaves chains as they
// are: a link to an entry that is gone shows an age above the count.
//
// Thread-safety: none.
class HpackEncoder::Table : public memory::SlabAllocated {
 public:
  Table() = default;
  ~Table();
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  // Ages, or 0 where there is no such entry. `hash` covers name and value.
  std::uint32_t find(std::string_view name, std::string_view value, std::uint32_t hash) const;
  std::uint32_t find_name(std::string_view name) const;

  // Evicts down to `limit` and puts the field in front. REQUIRES: its size is at most `limit`.
  void insert(std::string_view name, std::string_view value, std::uint32_t hash, std::size_t limit);
  // Drops the oldest entries until at most `limit` bytes are left.
  void evict_to(std::size_t limit);

  std::uint32_t count() const { return count_; }

 private:
  struct Entry {
    char* text;  // the name, then the value
    std::uint32_t name_size;
    std::uint32_t value_size;
    std::uint32_t hash;
    std::uint32_t previous;  // sequence of the next older entry of the bucket

    std::string_view name() const { return {text, name_size}; }
    std::string_view value() const { return {text + name_size, value_size}; }
  };

  static constexpr std::size_t storage_bytes(std::uint32_t capacity) {
    return capacity * (sizeof(Entry) + sizeof(std::uint32_t));
  }
  Entry& at(std::uint32_t sequence) const { return entries_[sequence & (capacity_ - 1)]; }
  std::uint32_t& bucket(std::uint32_t hash) const { return buckets_[hash & (capacity_ - 1)]; }
  void grow();

  Entry* entries_ = nullptr;          // capacity_ of them, the buckets right behind
  std::uint32_t* buckets_ = nullptr;  // the newest sequence of each
  std::uint32_t capacity_ = 0;        // a power of two
  std::uint32_t count_ = 0;
  std::uint32_t next_ = 0;  // sequence of the next entry
  std::uint32_t bytes_ = 0;
};

}  // namespace perch::http2
