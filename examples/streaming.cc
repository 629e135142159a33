// Streamed bodies, both ways, with trailers.
//   curl --http2-prior-knowledge -T FILE http://localhost:8080/echo     the file comes back
//   curl --http2-prior-knowledge http://localhost:8080/count/5          a line every 100 ms
//   streaming https://localhost:8443 CERTIFICATE.pem KEY.pem            the same over TLS
//   nghttp -v -d FILE --trailer 'x-mark: 1' http://localhost:8080/echo  trailers both ways
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>

#include "perch/server/server.h"
#include "perch/task/sleep.h"

using namespace perch;

// Sends each piece of the request's body back as it arrives, never holding more than a few of them:
// a client that does not read stops being read from. The trailers tell how much went through, and
// repeat the request's x-mark trailer.
task::Task<http::Response> echo(http::Request request) {
  auto echo_body =
      [body = std::move(request.body())](http::BodyWriter out) mutable -> task::Task<void> {
    std::uint64_t bytes = 0;
    for (;;) {
      Result<Bytes> piece = co_await body.read();
      if (!piece) throw std::runtime_error(piece.error().message());
      if (piece->empty()) break;
      bytes += piece->size();
      Result<void> written = co_await out.write(std::move(*piece));
      if (!written) co_return;  // the client has gone
    }
    http::Fields trailers;
    trailers.add("x-bytes", std::to_string(bytes));
    if (const http::Fields* received = body.trailers(); received != nullptr) {
      if (auto mark = received->get("x-mark")) trailers.add("x-mark", *mark);
    }
    out.finish(std::move(trailers));
  };
  co_return http::Response::stream(std::move(echo_body), "application/octet-stream");
}

task::Task<http::Response> count(http::Request request) {
  const std::string text(request.parameter("n"));
  if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != text.npos) {
    co_return http::Response::error(400, "expected a number of at most four digits");
  }
  auto count_up = [last = std::stoi(text)](http::BodyWriter out) -> task::Task<void> {
    for (int i = 1; i <= last; ++i) {
      Result<void> written = co_await out.write(Bytes::copy(std::to_string(i) + "\n"));
      if (!written) co_return;
      Result<void> slept = co_await task::sleep_for(std::chrono::milliseconds(100));
      if (!slept) co_return;
    }
  };
  co_return http::Response::stream(std::move(count_up), "text/plain; charset=utf-8");
}

// A fault of a handler's own: the client gets a 500, the log a line, and nothing else happens.
task::Task<http::Response> fail(http::Request) {
  throw std::runtime_error("this route always fails");
  co_return http::Response();
}

int main(int argc, char** argv) {
  server::Server server;
  for (const http::Method method : {http::Method::kPut, http::Method::kPost}) {
    if (!server.route(method, "/echo", echo) || !server.route(method, "/echo/*", echo)) return 2;
  }
  if (!server.route(http::Method::kGet, "/count/{n}", count)) return 2;
  if (!server.route(http::Method::kGet, "/fail", fail)) return 2;
  if (argc > 3) {  // for an https URL
    tls::ServerContextOptions options;
    options.certificates.push_back({.chain = argv[2], .key = argv[3], .ocsp_response = {}});
    auto context = tls::ServerContext::create(options);
    if (!context) {
      std::fprintf(stderr, "%s\n", context.error().message().c_str());
      return 2;
    }
    server.secure(std::move(*context));
  }
  return server.run(argc > 1 ? argv[1] : "http://localhost:8080");
}
