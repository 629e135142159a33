// A user's program: a handler, a server that listens and drains. It ends by itself, for the test.
#include <chrono>
#include <cstdio>
#include <string>

#include "perch/base/version.h"
#include "perch/server/server.h"

using namespace perch;

task::Task<http::Response> hello(http::Request request) {
  std::string greeting = "Hello, " + std::string(request.parameter("name")) + "!\n";
  co_return http::Response::text(greeting);
}

int main() {
  server::Server server;
  if (!server.route(http::Method::kGet, "/hello/{name}", hello)) return 2;
  if (!server.listen("http://127.0.0.1:0") || !server.start()) return 3;
  std::printf("Perch %s listens at %s\n", std::string(kVersion).c_str(),
              server.urls().front().c_str());
  return server.drain(Deadline::after(std::chrono::seconds(5))) ? 0 : 4;
}
