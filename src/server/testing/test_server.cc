#include "server/testing/test_server.h"

#include <charconv>
#include <chrono>
#include <utility>

#include "perch/base/check.h"
#include "perch/task/sleep.h"
#include "server/testing/patience.h"
#include "server/testing/test_socket.h"
#include "tls/testing/certificates.h"

namespace perch::server::testing {
namespace {

using std::chrono::milliseconds;

task::Task<http::Response> hello(http::Request) {
  co_return http::Response::text("Hello, Perch\n");
}

task::Task<http::Response> bytes(http::Request request) {
  const std::string_view digits = request.parameter("n");
  std::size_t size = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  co_return http::Response::text(std::string(size, 'b'));
}

task::Task<http::Response> fields(http::Request request) {
  co_return http::Response::text("ok").with("x-n", request.parameter("n"));
}

task::Task<http::Response> echo(http::Request request) {
  Result<Bytes> body = co_await request.body().read_all(64 << 20);
  if (!body) co_return http::Response::error(400);
  http::Fields trailers;
  if (request.body().trailers() != nullptr) trailers = *request.body().trailers();
  co_return http::Response::stream(
      [all = std::move(*body), trailers](http::BodyWriter writer) -> task::Task<void> {
        if (!co_await writer.write(all)) co_return;
        writer.finish(trailers);
      },
      "application/octet-stream");
}

}  // namespace

ServerOptions quick_options() {
  ServerOptions options;
  options.workers = 1;
  options.parking_grace = milliseconds(1);
  options.parking_grace_max = milliseconds(1);
  options.linger_timeout = milliseconds(300);
  return options;
}

ServerOptions unparked_options() {
  ServerOptions options = quick_options();
  options.parking = false;
  return options;
}

TestServer::TestServer(ServerOptions options) {
  options.log = [this](LogLevel, std::string_view line) {
    const std::lock_guard lock(log_mutex_);
    log_.append(line).append("\n");
  };
  server_.emplace(std::move(options));
  get("/hello", hello);
  get("/bytes/{n}", bytes);
  get("/fields/{n}", fields);
  post("/echo", echo);
  get("/wait", [this](http::Request) { return wait_at_gate(false); });
  get("/linger", [this](http::Request) { return wait_at_gate(true); });
}

void TestServer::get(std::string_view pattern, http::Handler handler) {
  PERCH_CHECK(server_->route(http::Method::kGet, pattern, std::move(handler)).has_value());
}

void TestServer::post(std::string_view pattern, http::Handler handler) {
  PERCH_CHECK(server_->route(http::Method::kPost, pattern, std::move(handler)).has_value());
}

void TestServer::start() {
  if (tls_by_default()) return start_secure(tls_context());
  listen("http://127.0.0.1:0");
}

void TestServer::start_secure(std::shared_ptr<const tls::ServerContext> context) {
  server_->secure(std::move(context));
  listen("https://127.0.0.1:0");
}

std::shared_ptr<const tls::ServerContext> TestServer::tls_context() {
  static const auto kContext = [] {
    const tls::testing::Folder folder;
    tls::ServerContextOptions options;
    tls::testing::CertificateSpec spec;
    spec.names = {"perch.test"};
    options.certificates = {folder.write("server", tls::testing::Authority().issue(spec))};
    return tls::ServerContext::create(options).value();
  }();
  return kContext;
}

void TestServer::listen(std::string_view listen_url) {
  PERCH_CHECK(server_->listen(listen_url).has_value());
  PERCH_CHECK(server_->start().has_value());
  const std::string& url = server_->urls().front();
  const std::string_view digits = std::string_view(url).substr(url.rfind(':') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port_);
}

bool TestServer::parked(std::uint64_t connections) const {
  return eventually([&] { return statistics().parked == connections; });
}

bool TestServer::open(std::uint64_t connections) const {
  return eventually([&] { return statistics().open == connections; });
}

bool TestServer::waiting_handlers(int count) const {
  return eventually([&] { return waiting.load() == count; });
}

std::string TestServer::log() const {
  const std::lock_guard lock(log_mutex_);
  return log_;
}

std::optional<task::CancelReason> TestServer::cancel_reason() const {
  const int reason = last_reason.load();
  if (reason < 0) return std::nullopt;
  return static_cast<task::CancelReason>(reason);
}

task::Task<http::Response> TestServer::wait_at_gate(bool lingers) {
  struct Presence {
    explicit Presence(std::atomic<int>& counter) : count(counter) { ++count; }
    ~Presence() { --count; }
    std::atomic<int>& count;
  };
  const Presence presence(waiting);
  bool noted = false;
  while (!gate.load()) {
    if (co_await task::sleep_for(milliseconds(1))) continue;
    if (!std::exchange(noted, true)) {
      last_reason = static_cast<int>(*task::current_cancel_reason());
      ++cancelled;
    }
    if (!lingers) break;
    // Every wait fails at once by now: lets the others run, and looks again.
    static_cast<void>(co_await task::yield());
    if (task::current_cancel_reason() == task::CancelReason::kShutdown) break;
  }
  co_return http::Response::text("released\n");
}

}  // namespace perch::server::testing
