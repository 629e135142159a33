// The smallest server: one route, one coroutine.
//   curl --http2-prior-knowledge http://localhost:8080/hello/world
#include <string>

#include "perch/server/server.h"

using namespace perch;

task::Task<http::Response> hello(http::Request request) {
  std::string greeting = "Hello, " + std::string(request.parameter("name")) + "!\n";
  co_return http::Response::text(greeting);
}

int main(int argc, char** argv) {
  server::Server server;
  if (!server.route(http::Method::kGet, "/hello/{name}", hello)) return 2;
  return server.run(argc > 1 ? argv[1] : "http://localhost:8080");
}
