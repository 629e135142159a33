// A connection that has a session: active or quiet.
//
// It exists from the first bytes, or a wake, until it parks or ends. It reads until the socket is
// dry, lets the session and the handlers do all that can be done at once, and writes the result
// with as few system calls as it can.
//
// Ownership: the worker owns it through its slot. Nothing in here destroys it: functions that may
// end it say so by what they return, and the worker acts on that last.
// Thread-safety: none; its worker's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "perch/http2/output_queue.h"
#include "perch/http2/session.h"
#include "perch/memory/buffer_pool.h"
#include "perch/memory/slab.h"
#include "perch/net/io_token.h"
#include "perch/task/post.h"
#include "server/exchange.h"

namespace perch::server {

class ServerWorker;

enum class [[nodiscard]] Disposition : std::uint8_t {
  kKeep,
  kLinger,  // all was written: shut our side down and wait for the peer's close
  kClose,   // at once
};

class Connection final : public memory::SlabAllocated,
                         public ListLink<>,
                         private http2::SessionEvents {
 public:
  // A new connection, or with `record` one that wakes; `valid()` is false for a record that does
  // not restore.
  Connection(ServerWorker& worker, std::uint32_t slot, int fd);
  Connection(ServerWorker& worker, std::uint32_t slot, int fd, std::span<const std::byte> record);
  ~Connection();
  bool valid() const { return session_ != nullptr; }

  // Handles `first_input`, which was read already and may be empty, then what the events tell.
  Disposition on_io(net::IoEvents events, std::span<const std::byte> first_input = {});
  // The same for one that wakes.
  Disposition on_wake(net::IoEvents events, std::span<const std::byte> first_input);
  // A wake is over, about to be parked again: without a request it was on the peer's budget.
  Disposition end_wake();
  // Deadlines, now and then.
  Disposition check(Instant now);
  // The two steps of a graceful end.
  Disposition announce_shutdown();
  Disposition shutdown();

  // Nothing is under way: parking would lose nothing.
  bool can_park() const;
  // No stream is open and no output waits.
  bool idle() const { return session_->quiet() && blocked_ == nullptr; }
  bool has_open_streams() const { return !session_->quiet() || !exchanges_.empty(); }

  // For Exchange.
  ServerWorker& worker() { return worker_; }
  http2::Session& session() { return *session_; }
  void adopt(Exchange& exchange) { exchanges_.push_back(exchange); }
  void handler_lingers();
  void lingering_handler_ended();

  std::uint32_t slot() const { return slot_; }
  // A request arrived since the connection was made or woken.
  bool saw_request() const { return session_->counters().requests > 0; }

  Instant last_active;
  bool settled = false;  // on the worker's list of those that were looked at since

 private:
  struct TurnEnd final : task::Deferred {
    explicit TurnEnd(Connection& connection)
        : Deferred(&Connection::run_deferred), owner(connection) {}
    Connection& owner;
  };
  enum class Progress : std::uint8_t { kDone, kBlocked, kMore, kBroken };

  void on_request(http2::Stream& stream, http::RequestHeadPtr head, bool end_stream) override;
  void on_body(http2::Stream& stream, std::span<const std::byte> data, bool end_stream) override;
  void on_trailers(http2::Stream& stream, http::Fields trailers) override;
  void on_stream_closed(http2::Stream& stream, http2::ErrorCode reason) override;
  void on_output_ready() override;
  static void run_deferred(task::Deferred& deferred) noexcept;

  Disposition work(bool read_first, std::span<const std::byte> first_input);
  // False at the end of the connection.
  bool read();
  void take_input(std::span<const std::byte> input);
  std::span<std::byte> input_space();
  void keep_input(std::span<const std::byte> rest, bool progressed);
  Progress write();
  Progress write_queue(http2::OutputQueue& queue);
  Progress all_written();
  bool stalled(Instant now);
  Disposition refuse_http1();

  ServerWorker& worker_;
  std::unique_ptr<http2::Session> session_;
  TurnEnd turn_end_{*this};
  memory::Buffer partial_;                       // while a frame is not complete
  std::unique_ptr<http2::OutputQueue> blocked_;  // while the socket takes no more
  IntrusiveList<Exchange> exchanges_;
  Instant partial_since_;
  Instant stall_started_;          // of the running write-stall period; zero: none runs
  std::uint64_t stall_bytes_ = 0;  // written in it
  std::size_t partial_size_ = 0;
  std::uint32_t slot_;
  std::uint32_t lingering_handlers_ = 0;
  int fd_;
  bool woken_ = false;         // by the peer, and not accounted for yet
  bool working_ = false;       // inside work(): output is flushed at its end
  bool peer_closed_ = false;   // seen in the events: read to the end
  bool more_to_read_ = false;  // the read budget ran out before the socket was dry
};

}  // namespace perch::server
