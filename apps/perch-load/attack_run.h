// `perch-load attack`: keeps up some connections that attack a server, and says how they ended.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "perch-load/attack.h"
#include "perch-load/tls_client.h"
#include "perch/base/clock.h"
#include "perch/net/endpoint.h"

namespace perch::load {

struct AttackOptions {
  std::string url_text;
  TargetUrl url;
  const AttackKind* kind = nullptr;
  std::size_t connections = 10;
  Duration time = std::chrono::seconds(10);
};

struct AttackResult {
  std::size_t connections = 0;  // in all; one that ends is replaced
  std::size_t open = 0;         // at the end
  std::uint64_t attacks = 0;    // frames, requests or bytes, as the kind counts
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::map<std::string, std::size_t> endings;  // "GOAWAY ENHANCE_YOUR_CALM", "HTTP 408", "reset"
};

// Finds the error of a GOAWAY, or the status of an HTTP/1.1 answer, in what a server sends.
class EndingScanner {
 public:
  // Returns whether there were SETTINGS, which want an acknowledgement.
  bool receive(std::span<const std::byte> input);
  const std::string& found() const { return found_; }  // "GOAWAY NO_ERROR", "HTTP 408", ""

 private:
  std::vector<std::byte> frame_;  // its header, and of its payload what matters
  std::size_t skip_ = 0;          // of a payload
  std::string found_;
};

// Runs for `options.time`, or until `stop` is set. `tls` is null for cleartext.
AttackResult run_attack(const AttackOptions& options, const net::Endpoint& target,
                        const TlsClientContext* tls, const std::atomic<bool>& stop);

// A few lines for people; `ending` lines begin with a count.
std::string report_text(const AttackOptions& options, const AttackResult& result);

}  // namespace perch::load
