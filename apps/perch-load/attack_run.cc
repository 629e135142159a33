#include "perch-load/attack_run.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "perch-load/connection.h"
#include "perch/base/bytes.h"
#include "perch/http2/error_code.h"
#include "perch/http2/frame.h"

namespace perch::load {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kEnough = 64 * 1024;  // no more is made while so much waits
constexpr std::size_t kKeyUpdates = 50;     // in a portion
constexpr Duration kReconnectAfter = 10ms;  // a server that refuses is not asked all the time
constexpr int kTurn = 10;                   // ms: how late a portion may be

// One attacking connection.
class Attacker {
 public:
  Attacker(const AttackOptions& options, const net::Endpoint& target, const TlsClientContext* tls,
           std::size_t index)
      : options_(options), target_(target), tls_context_(tls), index_(index) {}

  bool is_open() const { return fd_.valid(); }
  pollfd interest(Instant now) const {
    const bool wants =
        !connected_ || !wire_.empty() || (ready() && !greeted_) || (attacks() && now >= next_);
    return {fd_.get(), static_cast<short>(POLLIN | (wants ? POLLOUT : 0)), 0};
  }

  void open(Instant now, AttackResult& result) {
    if (now < next_) return;
    next_ = now + kReconnectAfter;
    attack_.emplace(*options_.kind, options_.url);
    wire_.clear();
    scanner_ = {};
    tls_.reset();
    connected_ = greeted_ = acknowledged_ = begun_ = false;
    auto fd = Connection::make_socket(target_, source_for(target_, index_));
    if (!fd) return;
    ++result.connections;
    if (::connect(fd->get(), static_cast<const sockaddr*>(target_.sockaddr()),
                  static_cast<socklen_t>(target_.sockaddr_size())) != 0 &&
        errno != EINPROGRESS) {
      ++result.endings["not connected"];
      return;
    }
    fd_ = std::move(*fd);
  }

  void on_events(short events, Instant now, AttackResult& result) {
    if (!connected_ && (events & (POLLOUT | POLLERR | POLLHUP)) != 0) {
      connected_ = true;
      if (tls_context_ != nullptr) {
        tls_.emplace(*tls_context_);
        tls_->start(wire_);
      }
    }
    if (!connected_) return;
    if ((events & (POLLIN | POLLERR | POLLHUP)) != 0 && !receive(result)) return;
    if ((events & POLLOUT) != 0) attack(now, result);
    send(result);
  }

 private:
  // The server's SETTINGS have been acknowledged, or there are none.
  bool attacks() const { return greeted_ && (acknowledged_ || attack_->kind().http1); }
  bool ready() const { return connected_ && (!tls_ || tls_->state() == TlsClient::State::kOpen); }

  void greet() {
    if (std::exchange(greeted_, true)) return;
    std::vector<std::byte> plain;
    attack_->greet(plain);
    seal(plain);
  }

  void attack(Instant now, AttackResult& result) {
    if (!ready()) return;
    greet();
    std::vector<std::byte> plain;
    if (!attacks() || now < next_ || wire_.size() >= kEnough) return;
    if (!std::exchange(begun_, true)) attack_->begin(plain);
    result.attacks += attack_->more(plain);
    seal(plain);
    if (attack_->kind().key_updates && tls_) {
      for (std::size_t i = 0; i < kKeyUpdates; ++i) tls_->update_key(wire_);
      result.attacks += kKeyUpdates;
    }
    next_ = now + attack_->kind().pause;
  }

  void seal(std::span<const std::byte> plain) {
    if (tls_) {
      tls_->seal(plain, wire_);
    } else {
      wire_.insert(wire_.end(), plain.begin(), plain.end());
    }
  }

  bool receive(AttackResult& result) {
    std::array<std::byte, 64 * 1024> input;
    const ssize_t n = ::recv(fd_.get(), input.data(), input.size(), 0);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return true;
    if (n <= 0) {
      end(n == 0 ? "closed" : "reset", result);
      return false;
    }
    result.bytes_received += static_cast<std::uint64_t>(n);
    const auto bytes = std::span(input).first(static_cast<std::size_t>(n));
    std::vector<std::byte> plain;
    if (tls_) {
      tls_->receive(bytes, plain, wire_);
      if (tls_->state() == TlsClient::State::kFailed) {
        end(tls_->failure(), result);
        return false;
      }
    }
    if (scanner_.receive(tls_ ? std::span<const std::byte>(plain) : bytes) && ready()) {
      greet();  // over TLS a server may be the first to speak
      std::vector<std::byte> answer;
      http2::FrameWriter(answer).settings_ack();
      seal(answer);
      acknowledged_ = true;
    }
    return true;
  }

  void send(AttackResult& result) {
    if (wire_.empty()) return;
    const ssize_t n = ::send(fd_.get(), wire_.data(), wire_.size(), MSG_NOSIGNAL);
    if (n < 0) {
      // What the server said before it closed is still there to be read.
      if (errno != EAGAIN && errno != EWOULDBLOCK && receive(result)) end("reset", result);
      return;
    }
    result.bytes_sent += static_cast<std::uint64_t>(n);
    wire_.erase(wire_.begin(), wire_.begin() + n);
  }

  void end(const std::string& how, AttackResult& result) {
    ++result.endings[scanner_.found().empty() ? how : scanner_.found()];
    fd_.reset();
    next_ = Instant::now() + kReconnectAfter;
  }

  const AttackOptions& options_;
  const net::Endpoint& target_;
  const TlsClientContext* tls_context_;
  std::size_t index_;

  net::UniqueFd fd_;
  std::optional<Attack> attack_;
  std::optional<TlsClient> tls_;
  EndingScanner scanner_;
  std::vector<std::byte> wire_;
  Instant next_;  // portion, or connection
  bool connected_ = false;
  bool greeted_ = false;
  bool acknowledged_ = false;
  bool begun_ = false;
};

}  // namespace

bool EndingScanner::receive(std::span<const std::byte> input) {
  constexpr std::size_t kGoaway = 8;  // last stream id, error code
  constexpr std::string_view kHttp1 = "HTTP/1.1 ";
  bool settings = false;
  while (!input.empty()) {
    if (skip_ != 0) {
      const std::size_t skipped = std::min(skip_, input.size());
      input = input.subspan(skipped);
      skip_ -= skipped;
      continue;
    }
    frame_.push_back(input.front());
    input = input.subspan(1);
    if (frame_.size() < http2::kFrameHeaderBytes) continue;
    if (as_text(frame_).starts_with(kHttp1)) {
      // The rest of the answer does not matter.
      if (frame_.size() < kHttp1.size() + 3) continue;
      found_ = fmt::format("HTTP {}", as_text(frame_).substr(kHttp1.size(), 3));
      skip_ = SIZE_MAX;
      continue;
    }
    const auto header = http2::read_frame_header(frame_);
    const bool goaway = header.type == http2::FrameType::kGoaway && header.length >= kGoaway;
    if (goaway && frame_.size() < http2::kFrameHeaderBytes + kGoaway) continue;
    if (goaway) {
      std::uint32_t code = 0;
      for (std::size_t i = 4; i < kGoaway; ++i) {
        code = code << 8 | std::to_integer<std::uint32_t>(frame_[http2::kFrameHeaderBytes + i]);
      }
      found_ = fmt::format("GOAWAY {}", http2::to_string(static_cast<http2::ErrorCode>(code)));
    }
    settings |= header.type == http2::FrameType::kSettings && !header.has(http2::flags::kAck);
    skip_ = header.length - (goaway ? kGoaway : 0);
    frame_.clear();
  }
  return settings;
}

AttackResult run_attack(const AttackOptions& options, const net::Endpoint& target,
                        const TlsClientContext* tls, const std::atomic<bool>& stop) {
  AttackResult result;
  std::vector<Attacker> attackers;
  attackers.reserve(options.connections);
  for (std::size_t i = 0; i < options.connections; ++i) {
    attackers.emplace_back(options, target, tls, i);
  }
  std::vector<pollfd> interests(attackers.size());
  const Instant end = Instant::now() + options.time;
  for (Instant now = Instant::now(); now < end && !stop.load(std::memory_order_relaxed);
       now = Instant::now()) {
    for (std::size_t i = 0; i < attackers.size(); ++i) {
      if (!attackers[i].is_open()) attackers[i].open(now, result);
      interests[i] = attackers[i].interest(now);
    }
    ::poll(interests.data(), interests.size(), kTurn);
    now = Instant::now();
    for (std::size_t i = 0; i < attackers.size(); ++i) {
      if (attackers[i].is_open() && interests[i].revents != 0) {
        attackers[i].on_events(interests[i].revents, now, result);
      }
    }
  }
  result.open = static_cast<std::size_t>(std::ranges::count_if(attackers, &Attacker::is_open));
  return result;
}

std::string report_text(const AttackOptions& options, const AttackResult& result) {
  std::string text = fmt::format(
      "attack       {}: {}\n"
      "connections  {} made, {} open at the end\n"
      "sent         {} attacks, {} bytes\n"
      "received     {} bytes\n",
      options.kind->name, options.kind->what, result.connections, result.open, result.attacks,
      result.bytes_sent, result.bytes_received);
  for (const auto& [ending, count] : result.endings) {
    text += fmt::format("ended     {:>9}  {}\n", count, ending);
  }
  return text;
}

}  // namespace perch::load
