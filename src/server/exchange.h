// A request whose handler waits, or whose body or response is streamed. Requests that are answered
// at once need none.
//
// Lifetime: owns itself. It ends when its stream has closed and its tasks have ended, whichever is
// last; a handler whose stream was reset is cancelled, and lingers until it has unwound. It
// outlives its connection if it must, detached.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "perch/base/intrusive_list.h"
#include "perch/http/body.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/http/server_session.h"
#include "perch/memory/slab.h"
#include "perch/task/join_handle.h"
#include "server/access_entry.h"

namespace perch::server {

class Connection;
struct SharedState;

// The handler's answer, or a 500 (with a line in the log) for what it threw.
http::Response take_response(task::JoinHandle<http::Response>& handler, const SharedState& server);

class Exchange final : public memory::SlabAllocated,
                       public ListLink<>,
                       private http::BodyPipe::Listener {
 public:
  // For a stream that is open and has no context yet.
  static Exchange& create(Connection& connection, http::ServerStream& stream);

  // Starts the handler of a request whose body, where not `end_stream`, is still to come.
  void start(http::RequestHeadPtr head, bool end_stream);
  // Goes on with a handler that was started and is not done.
  void wait_for(task::JoinHandle<http::Response> handler);
  // Sends the response; starts its body's producer where it has one.
  void respond(http::Response response);

  void on_body(std::span<const std::byte> data, bool end_stream);
  void on_trailers(http::Fields trailers);
  // Both may destroy the exchange.
  void on_stream_closed(http::StreamEnd end);
  void on_connection_closed();

 private:
  struct HandlerDone final : task::CompletionListener {
    explicit HandlerDone(Exchange& owner) : exchange(owner) {}
    void on_task_done() noexcept override { exchange.on_handler_done(); }
    Exchange& exchange;
  };
  struct ProducerDone final : task::CompletionListener {
    explicit ProducerDone(Exchange& owner) : exchange(owner) {}
    void on_task_done() noexcept override { exchange.on_producer_done(); }
    Exchange& exchange;
  };

  Exchange(Connection& connection, http::ServerStream& stream, const SharedState& server);
  ~Exchange() = default;

  void on_consumed(std::size_t bytes) noexcept override;
  void on_abandoned() noexcept override {}
  void on_handler_done() noexcept;
  void on_producer_done() noexcept;
  void send(http::Response response);
  void finish_producer();
  void log_access(http::StreamEnd end);
  bool tasks_running() const { return handler_.valid() || producer_task_.valid(); }
  void stop(http::StreamEnd end, task::CancelReason reason);
  void end_if_over();

  Connection* connection_;      // null once it has gone
  http::ServerStream* stream_;  // null once it is closed
  const SharedState& server_;
  std::shared_ptr<http::BodyPipe> request_body_;
  std::shared_ptr<http::BodyPipe> response_body_;
  std::unique_ptr<AccessEntry> access_;  // null while nobody listens, and once it was told
  http::BodyProducer producer_;          // outlives its task: the task uses its captures
  task::JoinHandle<http::Response> handler_;
  task::JoinHandle<void> producer_task_;
  HandlerDone handler_done_{*this};
  ProducerDone producer_done_{*this};
  bool lingering_ = false;  // counted by the connection
};

}  // namespace perch::server
