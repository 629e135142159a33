// From the engine to the socket.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "server/connection.h"
#include "server/server_worker.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

// Bytes gathered for one write, and writes made before other connections get their turn.
constexpr std::size_t kBatchBytes = 128 * 1024;
constexpr int kWritesPerTurn = 16;

}  // namespace

Connection::Progress Connection::write() {
  DateClock& date = worker_.date();
  for (int writes = 0; writes < kWritesPerTurn; ++writes) {
    if (const Progress progress = flush_blocked(); progress != Progress::kDone) return progress;
    if (session_ == nullptr || (tls_ != nullptr && !tls_->can_seal())) {
      const Progress progress = write_sealed();
      return progress == Progress::kDone ? all_written() : progress;
    }
    http::OutputQueue& queue = worker_.output();
    // Pipelined requests of HTTP/1.1 are answered in one batch.
    do {
      if (!session_->wants_output()) continue;
      date.update(now());
      session_->produce(queue, kBatchBytes, {date.text(), date.epoch()});
    } while (queue.pending_bytes() < kBatchBytes && feed_waiting());
    if (queue.empty() && worker_.sealed().empty()) return all_written();
    const Progress progress = tls_ == nullptr ? write_plain(queue)
                              : seal(queue)   ? write_sealed()
                                              : Progress::kBroken;
    queue.shrink();
    if (progress != Progress::kDone) return progress;
  }
  return Progress::kMore;
}

// Only this ends a write-stall period early: a batch that was taken, with the next one waiting,
// says nothing about the rate.
Connection::Progress Connection::all_written() {
  stall_started_ = Instant();
  return Progress::kDone;
}

Connection::Progress Connection::flush_blocked() {
  if (blocked_ == nullptr) return Progress::kDone;
  std::vector<std::byte>& sealed = worker_.sealed();
  if (!sealed.empty()) {
    blocked_->append(std::span<const std::byte>(sealed));
    sealed.clear();
  }
  const Progress progress = send_queue(*blocked_);
  if (progress != Progress::kDone) return progress;
  blocked_.reset();
  worker_.touch(*this);
  return Progress::kDone;
}

Connection::Progress Connection::write_plain(http::OutputQueue& queue) {
  const Progress progress = send_queue(queue);
  if (progress == Progress::kBlocked) block(std::exchange(queue, {}));
  if (progress == Progress::kBroken) queue.clear();
  return progress;
}

Connection::Progress Connection::send_queue(http::OutputQueue& queue) {
  while (!queue.empty()) {
    const IoOutcome outcome = write_socket(fd_, queue);
    if (outcome.kind == IoOutcome::Kind::kBroken) return Progress::kBroken;
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) return Progress::kBlocked;
    stall_bytes_ += outcome.bytes;
    moved_ = true;
  }
  return Progress::kDone;
}

void Connection::block(http::OutputQueue queue) {
  blocked_ = std::make_unique<http::OutputQueue>(std::move(queue));
  if (stall_started_ != Instant()) return;
  stall_started_ = now();
  stall_bytes_ = 0;
}

// --- TLS

// Seals all of the queue behind what is sealed already, in full records: small pieces are gathered,
// since a record costs more than the copy.
bool Connection::seal(http::OutputQueue& queue) {
  std::vector<std::byte>& sealed = worker_.sealed();
  const std::span<std::byte> record = worker_.record_buffer();
  std::size_t filled = 0;
  bool good = true;
  while (good && !queue.empty()) {
    std::array<http::OutputQueue::Piece, 64> pieces;
    const std::size_t count = queue.gather(pieces);
    std::size_t taken = 0;
    for (std::size_t i = 0; good && i < count; ++i) {
      std::span<const std::byte> piece(pieces[i].data, pieces[i].size);
      taken += piece.size();
      while (good && !piece.empty()) {
        if (filled == 0 && piece.size() >= record.size()) {
          const std::size_t whole = piece.size() - piece.size() % record.size();
          good = tls_->seal(piece.first(whole), sealed);
          piece = piece.subspan(whole);
          continue;
        }
        const std::size_t part = std::min(piece.size(), record.size() - filled);
        std::memcpy(record.data() + filled, piece.data(), part);
        filled += part;
        piece = piece.subspan(part);
        if (filled < record.size()) continue;
        good = tls_->seal(record, sealed);
        filled = 0;
      }
    }
    queue.consume(taken);
  }
  if (good && filled > 0) good = tls_->seal(record.first(filled), sealed);
  if (!good) queue.clear();
  return good;
}

Connection::Progress Connection::write_sealed() {
  std::vector<std::byte>& sealed = worker_.sealed();
  std::span<const std::byte> rest = sealed;
  while (!rest.empty()) {
    const IoOutcome outcome = write_socket(fd_, rest);
    if (outcome.kind == IoOutcome::Kind::kBroken) return Progress::kBroken;
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) {
      http::OutputQueue queue;
      queue.append(rest);
      sealed.clear();
      block(std::move(queue));
      return Progress::kBlocked;
    }
    stall_bytes_ += outcome.bytes;
    moved_ = true;
    rest = rest.subspan(outcome.bytes);
  }
  sealed.clear();
  return Progress::kDone;
}

// To a client that took the port for one in clear.
void Connection::say_in_clear(std::string_view answer) {
  const std::span<const std::byte> bytes = as_bytes(answer);
  worker_.sealed().insert(worker_.sealed().end(), bytes.begin(), bytes.end());
}

}  // namespace perch::server
