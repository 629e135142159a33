// What hostile clients send: one kind of attack each, as bytes, without I/O.
//
// They are here to measure what a server's limits are worth: how long an attack lasts, what it
// costs the server, and what others notice. Use them on servers of your own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch-load/target_url.h"
#include "perch/base/clock.h"
#include "perch/http2/frame.h"

namespace perch::load {

class Attack;

struct AttackKind {
  std::string_view name;
  std::string_view what;  // for the help
  Duration pause;         // between portions; zero: as fast as the socket takes them
  // Appends what the attack begins with, and then a portion of it; returns the number of frames,
  // requests or bytes that it attacks with.
  void (Attack::*begin)(std::vector<std::byte>& out);
  std::size_t (Attack::*more)(std::vector<std::byte>& out);
  std::uint32_t stream_window = http2::kDefaultWindow;  // what the server may send
  bool http1 = false;
  bool key_updates = false;  // `more` is nothing; TLS 1.3 KeyUpdate messages are sent
};

std::span<const AttackKind> attack_kinds();
const AttackKind* find_attack(std::string_view name);

// One connection's attack.
class Attack {
 public:
  Attack(const AttackKind& kind, const TargetUrl& url);

  const AttackKind& kind() const { return *kind_; }
  // The preface and SETTINGS, where the kind is of HTTP/2. The rest comes after the server's
  // SETTINGS are acknowledged, since the acknowledgement may not stand within a header block.
  void greet(std::vector<std::byte>& out) const;
  void begin(std::vector<std::byte>& out) { (this->*kind_->begin)(out); }
  std::size_t more(std::vector<std::byte>& out) { return (this->*kind_->more)(out); }

 private:
  friend std::span<const AttackKind> attack_kinds();
  using Output = std::vector<std::byte>;

  void begin_without(Output&) {}
  void begin_upload(Output& out);
  void begin_continuation(Output& out);
  void begin_bomb(Output& out);
  void begin_stalled(Output& out);
  void begin_dribble(Output& out);
  void begin_slow_fields(Output& out);

  std::size_t nothing(Output& out);
  std::size_t rapid_reset(Output& out);
  std::size_t provoke_resets(Output& out);
  std::size_t continuations(Output& out);
  std::size_t settings(Output& out);
  std::size_t pings(Output& out);
  std::size_t empty_data(Output& out);
  std::size_t bombs(Output& out);
  std::size_t dribble(Output& out);
  std::size_t slow_frame(Output& out);
  std::size_t slow_body(Output& out);
  std::size_t priority_updates(Output& out);
  std::size_t ranges(Output& out);
  std::size_t slow_fields(Output& out);

  http2::StreamId next_stream();
  void get(Output& out, std::span<const std::byte> block);

  const AttackKind* kind_;
  std::string host_;
  std::vector<std::byte> get_;     // header blocks that refer to no table
  std::vector<std::byte> post_;    // with a content-length
  std::vector<std::byte> ranged_;  // a GET of many overlapping ranges
  http2::StreamId stream_ = 0;     // the last that was opened
  std::size_t position_ = 0;       // in a frame that is sent byte by byte
};

}  // namespace perch::load
