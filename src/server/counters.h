// Counters that one worker writes and any thread reads.
#pragma once

#include <atomic>
#include <cstdint>

namespace perch::server {

// A counter with one writer: no locked instruction, no torn reads.
class Counter {
 public:
  void add(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
  void subtract(std::uint64_t amount = 1) {
    value_.store(value_.load(std::memory_order_relaxed) - amount, std::memory_order_relaxed);
  }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct WorkerCounters {
  Counter accepted;
  Counter refused;
  Counter handshakes;
  Counter resumptions;
  Counter failed_handshakes;
  Counter requests;
  Counter wakes;
  Counter stream_errors;
  Counter connection_errors;
  Counter open;  // slots in use
  Counter parked;
  Counter parked_record_bytes;
};

}  // namespace perch::server
