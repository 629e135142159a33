#include "server/server_worker.h"

#include <unistd.h>

#include <utility>

#include "perch/base/check.h"
#include "server/socket_io.h"

namespace perch::server {
namespace {

constexpr std::size_t kReadBufferBytes = 64 * 1024;
// Holds the largest frame that is not complete, and a TLS record's plaintext behind it.
constexpr std::size_t kInputBufferBytes = 34 * 1024;
constexpr std::size_t kCachedInputBytes = 1024 * 1024;

}  // namespace

ServerWorker::ServerWorker(SharedState& shared, task::Worker& worker)
    : shared_(shared),
      worker_(worker),
      input_buffers_(kInputBufferBytes, kCachedInputBytes),
      read_buffer_(memory::BufferPool(kReadBufferBytes, 0).take()),
      record_buffer_(memory::BufferPool(tls::kMaxPlaintextBytes, 0).take()) {
  record_.reserve(memory::ParkedStore::kMaxRecordBytes);  // growing would leave copies behind
  net::Reactor& reactor = net::Reactor::of(worker_);
  reactor.set_sink(net::SinkId::kConnection, &connection_events_);
  reactor.set_sink(net::SinkId::kListener, &listener_events_);
}

ServerWorker::~ServerWorker() {
  close_all();
  net::Reactor& reactor = net::Reactor::of(worker_);
  reactor.set_sink(net::SinkId::kConnection, nullptr);
  reactor.set_sink(net::SinkId::kListener, nullptr);
}

std::uint32_t ServerWorker::tick() const {
  return static_cast<std::uint32_t>(now().nanoseconds() >> kTickShift);
}

void ServerWorker::add_connection(Accepted accepted) {
  if (drain_step_ != DrainStep::kServing) {
    load_.fetch_sub(1, std::memory_order_relaxed);
    shared_.open.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  const int descriptor = accepted.fd.get();
  const std::uint32_t index = table_.allocate(accepted.fd.release());
  Slot& slot = table_[index];
  slot.secure = accepted.secure;
  slot.last_active = tick();
  counters_.accepted.add();
  counters_.open.add();
  const auto added =
      net::Reactor::of(worker_).add(descriptor, {net::SinkId::kConnection, index, slot.generation},
                                    net::IoInterest::connection());
  if (!added) {
    shared_.log(LogLevel::kWarning, added.error().message());
    return close_slot(index);
  }
  arm_sweep();
}

void ServerWorker::hand_over_tls_context(std::shared_ptr<const tls::ServerContext> context) {
  post([this, context = std::move(context)]() mutable { set_tls_context(std::move(context)); });
}

void ServerWorker::count_down(std::latch& latch) {
  post([&latch] { latch.count_down(); });
}

void ServerWorker::ConnectionEvents::on_io(std::uint32_t slot, std::uint32_t generation,
                                           net::IoEvents events) noexcept {
  Slot* found = owner.table_.find(slot, generation);
  if (found != nullptr) owner.on_connection_io(slot, *found, events);
}

void ServerWorker::on_connection_io(std::uint32_t index, Slot& slot, net::IoEvents events) {
  switch (slot.state()) {
    case SlotState::kActive: {
      Connection& connection = *slot.target.connection;
      return act_on(connection, connection.on_io(events));
    }
    case SlotState::kAccepted:
    case SlotState::kParked:
      // Being able to write is no news to a connection that has nothing to say.
      if (events != net::kWritable) first_bytes(index, slot, events);
      return;
    case SlotState::kLingering:
      return discard_input(index, slot);
    case SlotState::kFree:
      return;
  }
}

// A connection without a session has something to read. It gets its session only when there are
// bytes: most parked connections end by being closed, and need none for that.
void ServerWorker::first_bytes(std::uint32_t index, Slot& slot, net::IoEvents events) {
  const IoOutcome outcome = read_socket(slot.fd, read_buffer());
  if (outcome.kind == IoOutcome::Kind::kWouldBlock) return;
  if (outcome.kind != IoOutcome::Kind::kBytes) return close_slot(index);
  const bool woken = slot.state() == SlotState::kParked;
  if (!woken && slot.secure && handshakes_ >= shared_.options.max_handshakes) {
    counters_.refused.add();
    return close_slot(index);
  }
  Connection* connection = activate(index, slot);
  if (connection == nullptr) return close_slot(index);
  // What did not fill the buffer was all there was, unless the end is behind it.
  const std::span<const std::byte> input = read_buffer().first(outcome.bytes);
  const bool more = outcome.bytes == read_buffer().size() ||
                    events.has(net::kPeerClosed | net::kHangup | net::kError);
  const net::IoEvents left = more ? events : net::kWritable;
  act_on(*connection, woken ? connection->on_wake(left, input) : connection->on_io(left, input));
}

Connection* ServerWorker::activate(std::uint32_t index, Slot& slot) {
  std::unique_ptr<Connection> connection;
  if (slot.state() == SlotState::kParked) {
    const memory::RecordId id = slot.target.record;
    const std::span<const std::byte> record = store_.get(id);
    connection = std::make_unique<Connection>(*this, index, slot, record);
    counters_.parked_record_bytes.subtract(record.size());
    store_.erase(id);
    counters_.parked.subtract();
    counters_.wakes.add();
    shared_.note_unparked();
  } else {
    connection = std::make_unique<Connection>(*this, index, slot);
  }
  const bool valid = connection->valid();
  PERCH_DCHECK(valid);
  slot.target.connection = connection.release();
  slot.set_state(SlotState::kActive);
  ++active_;
  fresh_.push_back(*slot.target.connection);
  arm_sweep();
  return valid ? slot.target.connection : nullptr;
}

// Destroys the active connection; the slot's state is the caller's to set.
void ServerWorker::deactivate(Slot& slot) {
  Connection* connection = slot.target.connection;
  connection->unlink();
  slot.target.connection = nullptr;
  delete connection;
  --active_;
}

void ServerWorker::act_on(Connection& connection, Disposition disposition) {
  if (disposition == Disposition::kLinger) return linger(connection);
  if (disposition == Disposition::kClose) close_slot(connection.slot());
}

// Our last bytes are on their way. Closing now could make the kernel answer bytes still to come
// with a reset that destroys them; so our side is shut down, and the peer gets a while to close its
// own.
void ServerWorker::linger(Connection& connection) {
  const std::uint32_t index = connection.slot();
  Slot& slot = table_[index];
  deactivate(slot);
  slot.set_state(SlotState::kLingering);
  slot.target.unsent = UINT32_MAX;
  slot.last_active = tick();
  shut_down_writing(slot.fd);
  discard_input(index, slot);
}

void ServerWorker::discard_input(std::uint32_t index, Slot& slot) {
  // A peer that goes on sending makes new events, until the linger deadline cuts it off.
  constexpr int kReads = 16;
  for (int i = 0; i < kReads; ++i) {
    const IoOutcome outcome = read_socket(slot.fd, read_buffer());
    if (outcome.kind == IoOutcome::Kind::kWouldBlock) return;
    if (outcome.kind != IoOutcome::Kind::kBytes) return close_slot(index);
  }
}

void ServerWorker::close_slot(std::uint32_t index) {
  Slot& slot = table_[index];
  if (slot.state() == SlotState::kActive) {
    deactivate(slot);
  } else if (slot.state() == SlotState::kParked) {
    const std::span<const std::byte> record = store_.get(slot.target.record);
    counters_.parked_record_bytes.subtract(record.size());
    if (slot.secure) Connection::drop_parked(record);
    store_.erase(slot.target.record);
    counters_.parked.subtract();
    shared_.note_unparked();
  }
  ::close(slot.fd);
  table_.release(index);
  counters_.open.subtract();
  load_.fetch_sub(1, std::memory_order_relaxed);
  shared_.open.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace perch::server
