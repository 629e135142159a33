// A server in the test's own process, on a port of 127.0.0.1 that the system chooses.
//
// Routes it always has:
//     GET  /hello       "Hello, Perch\n"
//     GET  /bytes/{n}   n bytes at once
//     GET  /fields/{n}  "ok", with a field that was not there before: x-n: n
//     POST /echo        the request's body, once it is complete, and its trailers
//     GET  /wait        nothing until `gate` opens, then "released\n"; notes why it was cancelled
//     GET  /linger      the same, but a cancelled one goes on until `gate` opens
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "perch/server/server.h"
#include "perch/task/cancel.h"

namespace perch::server::testing {

// One worker; parks after a millisecond, lingers for less than a second.
ServerOptions quick_options();
// The same, never parking.
ServerOptions unparked_options();

class TestServer {
 public:
  explicit TestServer(ServerOptions options = quick_options());

  // Before start.
  void get(std::string_view pattern, http::Handler handler);
  void post(std::string_view pattern, http::Handler handler);
  void start();
  // The same with this for TLS.
  void start_secure(std::shared_ptr<const tls::ServerContext> context);

  // A context with a certificate for "perch.test".
  static std::shared_ptr<const tls::ServerContext> tls_context();

  Server& server() { return *server_; }
  std::uint16_t port() const { return port_; }
  ServerStatistics statistics() const { return server_->statistics(); }
  // Stops without a drain.
  void destroy() { server_.reset(); }

  // False when it does not come about.
  bool parked(std::uint64_t connections) const;
  bool open(std::uint64_t connections) const;
  bool waiting_handlers(int count) const;

  // What was logged, a line each.
  std::string log() const;

  // For handlers, from any thread.
  std::atomic<bool> gate{false};
  std::atomic<int> waiting{0};    // handlers at the gate now
  std::atomic<int> cancelled{0};  // of /wait and /linger
  std::atomic<int> last_reason{-1};
  std::optional<task::CancelReason> cancel_reason() const;

 private:
  void listen(std::string_view url);
  task::Task<http::Response> wait_at_gate(bool lingers);

  mutable std::mutex log_mutex_;
  std::string log_;
  std::optional<Server> server_;
  std::uint16_t port_ = 0;
};

}  // namespace perch::server::testing
