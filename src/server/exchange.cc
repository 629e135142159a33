#include "server/exchange.h"

#include <exception>
#include <string>
#include <utility>
#include <variant>

#include "perch/base/ascii.h"
#include "perch/task/cancel.h"
#include "perch/task/spawn.h"
#include "server/connection.h"
#include "server/server_worker.h"
#include "server/shared_state.h"

namespace perch::server {
namespace {

// Between a producer and the session: enough for the producer to run ahead of one turn's output.
constexpr std::size_t kResponsePipeBytes = 64 * 1024;

// The session's end of a streamed response.
class PipeSource final : public http::BodySource {
 public:
  explicit PipeSource(std::shared_ptr<http::BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeSource() override {
    pipe_->set_ready_hook(nullptr);
    pipe_->abandon();
  }

  http::PullResult pull(std::size_t max) override { return pipe_->pull(max); }
  bool at_end() const override { return pipe_->at_end(); }
  const http::Fields* trailers() const override {
    return pipe_->trailers().empty() ? nullptr : &pipe_->trailers();
  }
  void set_ready_hook(ReadyHook* hook) override { pipe_->set_ready_hook(hook); }

 private:
  std::shared_ptr<http::BodyPipe> pipe_;
};

std::string describe(std::exception_ptr failure) {
  try {
    std::rethrow_exception(std::move(failure));
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace

http::Response take_response(task::JoinHandle<http::Response>& handler, const SharedState& server) {
  try {
    return handler.take();
  } catch (const task::TaskCancelled&) {
    return http::Response::error(503);
  } catch (...) {
    server.log(LogLevel::kError, "handler failed: " + describe(std::current_exception()));
    return http::Response::error(500);
  }
}

Exchange::Exchange(Connection& connection, http::ServerStream& stream, const SharedState& server)
    : connection_(&connection), stream_(&stream), server_(server) {}

Exchange& Exchange::create(Connection& connection, http::ServerStream& stream) {
  auto* exchange = new Exchange(connection, stream, connection.worker().shared());
  stream.context = exchange;
  connection.adopt(*exchange);
  return *exchange;
}

void Exchange::start(http::RequestHeadPtr head, bool end_stream) {
  const bool expects_continue =
      !end_stream && equal_ignoring_case(head->fields.get("expect").value_or(""), "100-continue");
  if (server_.options.access_log) {
    access_ = std::make_unique<AccessEntry>(*head, Instant::now());
    connection_->note_peer();
  }
  http::BodyReader body;
  if (!end_stream) {
    request_body_ = std::make_shared<http::BodyPipe>(server_.body_window());
    request_body_->set_listener(this);
    body = http::BodyReader(request_body_);
  }
  http::Request request(std::move(head), std::move(body));
  task::JoinHandle<http::Response> handler = task::start(connection_->route(std::move(request)));
  if (handler.done()) return respond(take_response(handler, server_));
  // One that answers without a wait has not asked for the body: its answer comes instead.
  if (expects_continue) connection_->session().inform(*stream_, 100);
  wait_for(std::move(handler));
}

void Exchange::wait_for(task::JoinHandle<http::Response> handler) {
  handler_ = std::move(handler);
  handler_.on_done(&handler_done_);
}

void Exchange::respond(http::Response response) {
  auto* producer = std::get_if<http::BodyProducer>(&response.body());
  if (producer == nullptr) return send(std::move(response));

  producer_ = std::move(*producer);
  response_body_ = std::make_shared<http::BodyPipe>(kResponsePipeBytes);
  response.set_body(std::make_unique<PipeSource>(response_body_));
  send(std::move(response));
  producer_task_ = task::start(producer_(http::BodyWriter(response_body_)));
  if (producer_task_.done()) {
    finish_producer();
  } else {
    producer_task_.on_done(&producer_done_);
  }
}

void Exchange::send(http::Response response) {
  if (access_ != nullptr) access_->responding(response);
  connection_->session().respond(*stream_, std::move(response));
}

void Exchange::on_body(std::span<const std::byte> data, bool end_stream) {
  if (request_body_->abandoned()) {
    if (!data.empty()) connection_->session().consumed(*stream_, data.size());
    return;
  }
  request_body_->push_copy(data);
  if (end_stream) request_body_->finish();
}

void Exchange::on_trailers(http::Fields trailers) { request_body_->finish(std::move(trailers)); }

void Exchange::on_consumed(std::size_t bytes) noexcept {
  if (stream_ != nullptr) connection_->session().consumed(*stream_, bytes);
}

void Exchange::on_handler_done() noexcept {
  {
    // The handle goes at the end of the block: with it the handler's frame and its Request.
    task::JoinHandle<http::Response> handler = std::move(handler_);
    if (stream_ != nullptr) respond(take_response(handler, server_));
  }
  end_if_over();
}

void Exchange::on_producer_done() noexcept {
  finish_producer();
  end_if_over();
}

void Exchange::finish_producer() {
  task::JoinHandle<void> task = std::move(producer_task_);
  try {
    task.take();
    response_body_->finish();
  } catch (...) {
    // A cancelled producer may well end with an exception; only one that was wanted is news.
    if (stream_ != nullptr) {
      server_.log(LogLevel::kError, "response body failed: " + describe(std::current_exception()));
    }
    response_body_->fail(Error(ErrorCode::kClosed, "the body's producer failed"));
  }
}

void Exchange::stop(http::StreamEnd end, task::CancelReason reason) {
  stream_ = nullptr;
  if (request_body_ != nullptr) {
    request_body_->fail(
        Error(perch::ErrorCode::kReset, "the request was given up", Fault::kPeer, Scope::kStream));
  }
  if (handler_.valid()) handler_.cancel(reason);
  // After a whole response the producer has said all it wanted; it may still be tidying up. That of
  // a response to HEAD, for one, has not.
  if (producer_task_.valid() &&
      (end != http::StreamEnd::kComplete || !response_body_->finished())) {
    producer_task_.cancel(reason);
  }
}

void Exchange::log_access(http::StreamEnd end) {
  if (access_ == nullptr) return;
  AccessRecord record = access_->finish(end, Instant::now());
  connection_->describe(record);
  server_.options.access_log(record);
  access_.reset();
}

void Exchange::on_stream_closed(http::StreamEnd end) {
  log_access(end);
  stop(end, task::CancelReason::kStreamReset);
  if (tasks_running()) {
    lingering_ = true;
    connection_->handler_lingers();
  }
  end_if_over();
}

void Exchange::on_connection_closed() {
  log_access(http::StreamEnd::kFailed);
  unlink();
  connection_ = nullptr;
  lingering_ = false;
  stop(http::StreamEnd::kFailed, task::CancelReason::kConnectionLost);
  end_if_over();
}

void Exchange::end_if_over() {
  if (stream_ != nullptr || tasks_running()) return;
  unlink();
  if (request_body_ != nullptr) request_body_->set_listener(nullptr);
  if (lingering_) connection_->lingering_handler_ended();
  delete this;
}

}  // namespace perch::server
