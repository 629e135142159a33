#include "perch/net/endpoint.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace perch::net {
namespace {

std::vector<std::string> names(const std::vector<Endpoint>& endpoints) {
  std::vector<std::string> result;
  for (const Endpoint& endpoint : endpoints) result.push_back(endpoint.to_string());
  return result;
}

TEST(Resolve, LocalhostIsBothLoopbacks) {
  EXPECT_EQ(names(*resolve("localhost", 80)),
            (std::vector<std::string>{"127.0.0.1:80", "[::1]:80"}));
}

TEST(Resolve, StarIsEveryAddressOfBothFamilies) {
  EXPECT_EQ(names(*resolve("*", 8080)), (std::vector<std::string>{"[::]:8080", "0.0.0.0:8080"}));
}

TEST(Resolve, TakesNumericAddressesWithAndWithoutBrackets) {
  EXPECT_EQ(names(*resolve("192.0.2.7", 1)), std::vector<std::string>{"192.0.2.7:1"});
  EXPECT_EQ(names(*resolve("2001:db8::1", 2)), std::vector<std::string>{"[2001:db8::1]:2"});
  EXPECT_EQ(names(*resolve("[2001:db8::1]", 2)), std::vector<std::string>{"[2001:db8::1]:2"});
}

TEST(Resolve, AnswersAnErrorForWhatIsNoHost) {
  EXPECT_EQ(resolve("", 80).error().code(), ErrorCode::kInvalidArgument);
  EXPECT_FALSE(resolve("256.1.1.1.", 80).has_value());
}

TEST(Endpoint, KnowsItsPortAndFamily) {
  const Endpoint endpoint = resolve("::1", 443)->front();
  EXPECT_TRUE(endpoint.is_ipv6());
  EXPECT_EQ(endpoint.port(), 443);
  EXPECT_EQ(endpoint.with_port(8443).to_string(), "[::1]:8443");
  EXPECT_FALSE(endpoint.with_port(1) == endpoint);
}

TEST(Endpoint, IsInvalidForOtherFamiliesAndShortAddresses) {
  EXPECT_FALSE(Endpoint().valid());
  EXPECT_EQ(Endpoint().to_string(), "");
  const unsigned short unix_family[8] = {1};
  EXPECT_FALSE(Endpoint(unix_family, sizeof(unix_family)).valid());
  const Endpoint whole = resolve("127.0.0.1", 1)->front();
  EXPECT_FALSE(Endpoint(whole.sockaddr(), 4).valid());
  EXPECT_TRUE(Endpoint(whole.sockaddr(), whole.sockaddr_size()) == whole);
}

}  // namespace
}  // namespace perch::net
