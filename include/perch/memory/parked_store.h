// Keeps the records of parked connections: short byte strings, many, rarely looked at.
//
// Records live in size classes of 16 bytes, in arenas of their own, apart from the general heap:
// left out of core dumps (MADV_DONTDUMP), never on huge pages, locked in memory as far as
// RLIMIT_MEMLOCK allows so that they do not reach swap in clear, wiped when erased, and given back
// to the system when an arena is empty (one empty arena per store stays, so that a lone connection
// that parks and wakes makes no system call). The caller keeps a 32-bit RecordId; 0 is never one.
//
// Thread-safety: none; one store per worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace perch::memory {

enum class RecordId : std::uint32_t { kNone = 0 };

struct ParkedStoreStatistics {
  std::size_t records = 0;
  std::size_t record_bytes = 0;     // as put
  std::size_t committed_bytes = 0;  // pages touched and not given back, and slot tables
  std::size_t locked_bytes = 0;     // of the pages, those locked in memory
};

class ParkedStore {
 public:
  static constexpr std::size_t kMaxRecordBytes = 65536;

  ParkedStore();
  ~ParkedStore();  // wipes what is left
  ParkedStore(const ParkedStore&) = delete;
  ParkedStore& operator=(const ParkedStore&) = delete;

  // Copies `record` in. REQUIRES: 0 < record.size() <= kMaxRecordBytes.
  RecordId put(std::span<const std::byte> record);

  // The record's bytes, valid until it is erased. REQUIRES: `id` names a live record.
  std::span<const std::byte> get(RecordId id) const;

  // Wipes and frees the record. REQUIRES: `id` names a live record.
  void erase(RecordId id);

  ParkedStoreStatistics statistics() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perch::memory
