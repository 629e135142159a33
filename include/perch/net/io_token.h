// What the reactor remembers about a descriptor: 64 bits in the kernel's own epoll entry, and
// nothing in Perch.
#pragma once

#include <cstdint>

namespace perch::net {

// Which EventSink a descriptor's events go to.
enum class SinkId : std::uint8_t {
  kListener = 0,    // the server's listeners
  kConnection = 1,  // the server's connections
  kSocket = 2,      // TcpStream and TcpListener; taken by the reactor
  kFirstFree = 3,   // up to 14: for programs
  kReactor = 15,    // the reactor's own
};

struct IoToken {
  static constexpr std::uint32_t kGenerationMask = (1u << 28) - 1;

  SinkId sink;
  std::uint32_t slot;
  std::uint32_t generation;  // 28 bits; the rest is cut off

  constexpr std::uint64_t pack() const {
    return (std::uint64_t{slot} << 32) | (std::uint64_t{generation & kGenerationMask} << 4) |
           static_cast<std::uint64_t>(sink);
  }
  static constexpr IoToken unpack(std::uint64_t packed) {
    return {static_cast<SinkId>(packed & 15), static_cast<std::uint32_t>(packed >> 32),
            static_cast<std::uint32_t>(packed >> 4) & kGenerationMask};
  }
};

// A set of events.
class IoEvents {
 public:
  constexpr IoEvents() = default;
  constexpr explicit IoEvents(std::uint32_t bits) : bits_(bits) {}

  constexpr std::uint32_t bits() const { return bits_; }
  constexpr bool has(IoEvents any_of) const { return (bits_ & any_of.bits_) != 0; }
  friend constexpr IoEvents operator|(IoEvents a, IoEvents b) {
    return IoEvents(a.bits_ | b.bits_);
  }
  friend constexpr bool operator==(IoEvents, IoEvents) = default;

 private:
  std::uint32_t bits_ = 0;
};

inline constexpr IoEvents kReadable{1};
inline constexpr IoEvents kWritable{2};
inline constexpr IoEvents kPeerClosed{4};  // EPOLLRDHUP: the peer sends no more
inline constexpr IoEvents kHangup{8};      // both directions are closed
inline constexpr IoEvents kError{16};      // an error is pending on the socket

struct IoInterest {
  bool read = true;
  bool write = false;
  bool edge_triggered = false;
  bool exclusive = false;  // EPOLLEXCLUSIVE: one of the epolls that share a listener wakes

  // How a connection registers, once, from accept to close.
  static constexpr IoInterest connection() { return {true, true, true, false}; }
};

}  // namespace perch::net
