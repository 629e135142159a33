// A connection that is at work or quiet: its way to the socket, through TLS or in clear, and the
// protocol engine that its first bytes chose.
//
// It exists from the first bytes, or a wake, until it parks or ends. It reads until the socket is
// dry, lets the engine and the handlers do all that can be done at once, and writes the result with
// as few system calls as it can. It has no engine while TLS shakes hands, and in clear until the
// first bytes tell HTTP/2's preface from a request of HTTP/1.1.
//
// Ownership: the worker owns it through its slot. Nothing in here destroys it: functions that may
// end it say so by what they return, and the worker acts on that last.
// Thread-safety: none; its worker's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch/base/clock.h"
#include "perch/base/intrusive_list.h"
#include "perch/http/output_queue.h"
#include "perch/http/server_session.h"
#include "perch/memory/buffer_pool.h"
#include "perch/memory/slab.h"
#include "perch/net/io_token.h"
#include "perch/task/post.h"
#include "perch/tls/connection.h"
#include "server/exchange.h"

namespace perch::server {

class ServerWorker;
struct Slot;

enum class [[nodiscard]] Disposition : std::uint8_t {
  kKeep,
  kLinger,  // all was written: shut our side down and wait for the peer's close
  kClose,   // at once
};

class Connection final : public memory::SlabAllocated,
                         public ListLink<>,
                         private http::ServerEvents,
                         private tls::Sink {
 public:
  // A new connection, or with `record` one that wakes; `valid()` is false for a record that does
  // not restore.
  Connection(ServerWorker& worker, std::uint32_t index, const Slot& slot);
  Connection(ServerWorker& worker, std::uint32_t index, const Slot& slot,
             std::span<const std::byte> record);
  ~Connection();
  bool valid() const { return valid_; }

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
  // Appends the record, which for TLS owns what `drop_parked` frees; then only destruction is left.
  // REQUIRES: can_park().
  void park(std::vector<std::byte>& record);
  static void drop_parked(std::span<const std::byte> secure_record);

  // --- for Exchange
  ServerWorker& worker() { return worker_; }
  http::ServerSession& session() { return *session_; }
  // The handler's task for a request, or 421's.
  task::Task<http::Response> route(http::Request request) const;
  void adopt(Exchange& exchange) { exchanges_.push_back(exchange); }
  // For the access log: keeps the client's address, and fills in what the connection knows.
  void note_peer();
  void describe(AccessRecord& record) const;
  void handler_lingers();
  void lingering_handler_ended();

  std::uint32_t slot() const { return slot_; }
  bool http1() const { return http1_; }
  // A request arrived since the connection was made or woken.
  bool saw_request() const { return session_ != nullptr && session_->counters().requests > 0; }

  Instant last_active;
  bool settled = false;  // on the worker's list of those that were looked at since

 private:
  struct TurnEnd final : task::Deferred {
    explicit TurnEnd(Connection& connection)
        : Deferred(&Connection::run_deferred), owner(connection) {}
    Connection& owner;
  };
  enum class Progress : std::uint8_t { kDone, kBlocked, kMore, kBroken };
  // Bytes that the engine does not take yet, since a response must come first.
  struct Waiting {
    std::vector<std::byte> bytes;
    std::size_t used = 0;  // from the front
    bool empty() const { return bytes.empty(); }
  };

  // connection.cc
  Disposition work(bool read_first, std::span<const std::byte> first_input);
  Disposition after_output(Progress progress);
  Disposition end();
  Instant now() const;
  bool idle() const;
  bool misdirected(std::string_view authority) const;
  bool stalled(Instant now);
  bool overdue_opening(Instant now) const;
  static void run_deferred(task::Deferred& deferred) noexcept;

  void on_request(http::ServerStream& stream, http::RequestHeadPtr head, bool end_stream) override;
  void on_body(http::ServerStream& stream, std::span<const std::byte> data,
               bool end_stream) override;
  void on_trailers(http::ServerStream& stream, http::Fields trailers) override;
  void on_stream_closed(http::ServerStream& stream, http::StreamEnd end) override;
  void on_output_ready() override;

  // connection_input.cc
  // False when the connection is broken.
  bool read();
  bool may_read() const;
  void on_end_of_input();
  std::span<std::byte> input_space();
  void take_bytes(std::span<const std::byte> bytes);
  void take_ciphertext(std::span<const std::byte> ciphertext);
  void on_plaintext(std::span<const std::byte> plaintext) override;
  void take_input(std::span<const std::byte> input);
  void keep_input(std::span<const std::byte> rest, bool progressed);
  bool feed_waiting();
  bool choose_engine(std::span<const std::byte> input);
  void start_engine(bool http1);
  void end_handshake();

  // connection_output.cc
  Progress write();
  Progress flush_blocked();
  Progress write_plain(http::OutputQueue& queue);
  Progress write_sealed();
  bool seal(http::OutputQueue& queue);
  Progress send_queue(http::OutputQueue& queue);
  void block(http::OutputQueue queue);
  Progress all_written();
  void say_in_clear(std::string_view answer);

  ServerWorker& worker_;
  std::unique_ptr<tls::Connection> tls_;          // null in clear
  std::unique_ptr<http::ServerSession> session_;  // the engine
  TurnEnd turn_end_{*this};
  memory::Buffer partial_;  // while a frame is not complete, or the engine not chosen
  Waiting waiting_;
  std::unique_ptr<std::string> peer_;           // for the access log
  std::unique_ptr<http::OutputQueue> blocked_;  // while the socket takes no more; as sent
  IntrusiveList<Exchange> exchanges_;
  Instant opened_;
  Instant record_since_;  // while a TLS record is incomplete
  Instant partial_since_;
  Instant stall_started_;          // of the running write-stall period; zero: none runs
  std::uint64_t stall_bytes_ = 0;  // written in it
  std::size_t partial_size_ = 0;
  std::uint32_t slot_;
  std::uint32_t lingering_handlers_ = 0;
  std::uint8_t still_turns_ = 0;  // after the peer's end, in a row without a byte moved
  int fd_;
  bool valid_ = true;
  bool http1_ = false;
  bool handshaking_ = false;   // counted by the worker
  bool woken_ = false;         // by the peer, and not accounted for yet
  bool working_ = false;       // inside work(): output is flushed at its end
  bool peer_closed_ = false;   // seen in the events: read to the end
  bool input_ended_ = false;   // the end was read
  bool moved_ = false;         // bytes in or out since the last look
  bool deciphered_ = false;    // a record was complete
  bool read_paused_ = false;   // the socket may hold input that there was no room for
  bool more_to_read_ = false;  // the read budget ran out before the socket was dry
};

}  // namespace perch::server
