#include "perch/net/listen.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <vector>

#include <gtest/gtest.h>

#include "perch/net/descriptor_limit.h"

namespace perch::net {
namespace {

using Kind = AcceptOutcome::Kind;

Endpoint loopback(std::uint16_t port = 0) { return resolve("127.0.0.1", port)->front(); }

UniqueFd connect_to(const Endpoint& endpoint) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM, 0));
  EXPECT_EQ(connect(fd.get(), static_cast<const sockaddr*>(endpoint.sockaddr()),
                    static_cast<socklen_t>(endpoint.sockaddr_size())),
            0);
  return fd;
}

TEST(Listen, AcceptsWhoConnects) {
  UniqueFd listener = *listen(loopback());
  const Endpoint address = *local_endpoint(listener.get());
  EXPECT_NE(address.port(), 0);
  EXPECT_EQ(accept_one(listener.get()).kind, Kind::kWouldBlock);

  UniqueFd client = connect_to(address);
  AcceptOutcome outcome = accept_one(listener.get());
  ASSERT_EQ(outcome.kind, Kind::kConnection);
  EXPECT_TRUE(outcome.peer == *local_endpoint(client.get()));
  int no_delay = 0;
  socklen_t size = sizeof(no_delay);
  getsockopt(outcome.fd.get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &size);
  EXPECT_EQ(no_delay, 1);
  int keep_alive = 0;
  getsockopt(outcome.fd.get(), SOL_SOCKET, SO_KEEPALIVE, &keep_alive, &size);
  EXPECT_EQ(keep_alive, 1);
  EXPECT_EQ(accept_one(listener.get()).kind, Kind::kWouldBlock);
}

TEST(Listen, SaysThatAnAddressIsInUse) {
  UniqueFd first = *listen(loopback());
  const Endpoint taken = *local_endpoint(first.get());
  Result<UniqueFd> second = listen(taken);
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code(), ErrorCode::kAddressInUse);
  EXPECT_EQ(second.error().message(), "listen on " + taken.to_string() + ": address in use");
}

TEST(Listen, SharesAPortWhenAsked) {
  UniqueFd first = *listen(loopback(), {.reuse_port = true});
  Result<UniqueFd> second = listen(*local_endpoint(first.get()), {.reuse_port = true});
  EXPECT_TRUE(second.has_value());
}

TEST(Listen, BothFamiliesShareAPort) {
  Result<UniqueFd> v6 = listen(resolve("::", 0)->front());
  if (!v6) GTEST_SKIP() << "no IPv6 here";
  const std::uint16_t port = local_endpoint(v6->get())->port();
  EXPECT_TRUE(listen(resolve("0.0.0.0", port)->front()).has_value());
}

TEST(AcceptOne, TellsWhenDescriptorsRunOut) {
  UniqueFd listener = *listen(loopback());
  UniqueFd client = connect_to(*local_endpoint(listener.get()));
  rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_NOFILE, &none);
  const Kind kind = accept_one(listener.get()).kind;
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(kind, Kind::kOutOfDescriptors);
  // The connection was not lost.
  EXPECT_EQ(accept_one(listener.get()).kind, Kind::kConnection);
}

TEST(AcceptOne, TellsWhenTheListenerIsNone) { EXPECT_EQ(accept_one(-1).kind, Kind::kFailed); }

TEST(DescriptorLimit, RaisesTheSoftLimitToTheHardOne) {
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(*raise_descriptor_limit(), limit.rlim_max);
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

}  // namespace
}  // namespace perch::net
