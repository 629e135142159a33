// Listeners that come from elsewhere, and go on to somebody else.
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include <gtest/gtest.h>

#include "perch/net/endpoint.h"
#include "perch/net/listen.h"
#include "perch/server/server.h"
#include "server/testing/text_client.h"

namespace perch::server {
namespace {

using testing::TextClient;

ServerOptions one_worker() {
  ServerOptions options;
  options.workers = 1;
  options.log = [](LogLevel, std::string_view) {};
  return options;
}

net::UniqueFd listener() { return *net::listen(net::resolve("127.0.0.1", 0)->front()); }
std::string address_of(const net::UniqueFd& fd) {
  return net::local_endpoint(fd.get())->to_string();
}
std::uint16_t port_of(const net::UniqueFd& fd) { return net::local_endpoint(fd.get())->port(); }

http::Handler says(std::string text) {
  return [text = std::move(text)](http::Request) -> task::Task<http::Response> {
    return [](std::string body) -> task::Task<http::Response> {
      co_return http::Response::text(body);
    }(text);
  };
}

std::string ask(std::uint16_t port) {
  TextClient client(port);
  client.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");
  client.read_to_end();
  return client.received.substr(client.received.rfind('\n') + 1);
}

TEST(Inherit, TakesTheSocketOfTheAddress) {
  net::UniqueFd given = listener();
  const std::string address = address_of(given);
  const std::uint16_t port = port_of(given);
  Server server(one_worker());
  server.set_fallback(says("here"));
  ASSERT_TRUE(server.inherit({std::move(given), ""}).has_value());
  ASSERT_TRUE(server.listen("http://" + address).has_value());  // which is in use
  EXPECT_TRUE(server.drop_unclaimed().empty());
  EXPECT_EQ(server.urls(), std::vector<std::string>{"http://" + address});
  ASSERT_TRUE(server.start().has_value());
  EXPECT_EQ(ask(port), "here");
}

TEST(Inherit, ForPort0TakesAnyPortOfTheScheme) {
  net::UniqueFd secure = listener();
  net::UniqueFd plain = listener();
  const std::string address = address_of(plain);
  Server server(one_worker());
  ASSERT_TRUE(server.inherit({std::move(secure), "https"}).has_value());
  ASSERT_TRUE(server.inherit({std::move(plain), "http"}).has_value());
  ASSERT_TRUE(server.listen("http://127.0.0.1:0").has_value());
  EXPECT_EQ(server.urls(), std::vector<std::string>{"http://" + address});
  EXPECT_EQ(server.drop_unclaimed().size(), 1u);
  EXPECT_TRUE(server.drop_unclaimed().empty());
}

TEST(Inherit, ASocketOfBothVersionsServesBothStars) {
  const net::UniqueFd probe(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int off = 0;
  ::setsockopt(probe.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  sockaddr_in6 any{};
  any.sin6_family = AF_INET6;
  if (::bind(probe.get(), reinterpret_cast<const sockaddr*>(&any), sizeof any) != 0 ||
      ::listen(probe.get(), 16) != 0) {
    GTEST_SKIP() << "no IPv6 here";
  }
  const std::uint16_t port = port_of(probe);
  Server server(one_worker());
  server.set_fallback(says("both"));
  ASSERT_TRUE(server.inherit({net::UniqueFd(::dup(probe.get())), ""}).has_value());
  ASSERT_TRUE(server.listen("http://*:" + std::to_string(port)).has_value());
  EXPECT_EQ(server.urls().size(), 1u);
  ASSERT_TRUE(server.start().has_value());
  EXPECT_EQ(ask(port), "both");
}

TEST(Inherit, RefusesWhatIsNoListener) {
  Server server(one_worker());
  EXPECT_EQ(server.inherit({net::UniqueFd(::dup(0)), ""}).error().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(server.inherit({net::UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), ""})
                .error()
                .code(),
            ErrorCode::kInvalidArgument);
}

// The port stays open through the first one's drain, and a connection that nobody has accepted yet
// is not lost.
TEST(Inherit, HandsOverToAnotherServer) {
  Server first(one_worker());
  first.set_fallback(says("first"));
  ASSERT_TRUE(first.listen("http://127.0.0.1:0").has_value());
  ASSERT_TRUE(first.start().has_value());
  const ListenerView view = first.listeners().front();
  net::UniqueFd copy(::dup(view.descriptor));
  const std::uint16_t port = port_of(copy);
  EXPECT_EQ(ask(port), "first");

  first.share_listeners();
  EXPECT_TRUE(first.drain(Deadline::after(std::chrono::seconds(10))));
  TextClient waits(port);  // in the backlog
  waits.send("GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n");

  Server second(one_worker());
  second.set_fallback(says("second"));
  ASSERT_TRUE(second.inherit({std::move(copy), "http"}).has_value());
  ASSERT_TRUE(second.listen(view.url).has_value());
  ASSERT_TRUE(second.start().has_value());
  ASSERT_TRUE(waits.read_to_end());
  EXPECT_TRUE(waits.received.ends_with("second"));
}

TEST(Synchronize, ReturnsWithAndWithoutWorkers) {
  Server server(one_worker());
  server.synchronize();
  ASSERT_TRUE(server.start().has_value());
  for (int i = 0; i < 100; ++i) server.synchronize();
}

}  // namespace
}  // namespace perch::server
