#include "perch/net/listen_url.h"

#include <gtest/gtest.h>

namespace perch::net {
namespace {

TEST(ListenUrl, GivesHostAndPort) {
  EXPECT_EQ(parse_listen_url("http://localhost:8080"), (ListenAddress{"localhost", 8080}));
  EXPECT_EQ(parse_listen_url("http://127.0.0.1:0"), (ListenAddress{"127.0.0.1", 0}));
  EXPECT_EQ(parse_listen_url("http://[::1]:443"), (ListenAddress{"::1", 443}));
}

TEST(ListenUrl, WithoutPortMeans80) {
  EXPECT_EQ(parse_listen_url("http://example.org"), (ListenAddress{"example.org", 80}));
  EXPECT_EQ(parse_listen_url("http://[::]/"), (ListenAddress{"::", 80}));
}

TEST(ListenUrl, IgnoresCaseOfSchemeAndHost) {
  EXPECT_EQ(parse_listen_url("HTTP://LocalHost:81/"), (ListenAddress{"localhost", 81}));
}

TEST(ListenUrl, TakesAStarForAllAddresses) {
  EXPECT_EQ(parse_listen_url("http://*:8080"), (ListenAddress{"*", 8080}));
  EXPECT_EQ(parse_listen_url("http://*.org").error(), "has the character '*' in its host");
}

TEST(ListenUrl, OfHttpsIsSecureAndMeans443) {
  EXPECT_EQ(parse_listen_url("https://localhost"), (ListenAddress{"localhost", 443, true}));
  EXPECT_EQ(parse_listen_url("HTTPS://[::1]:8443"), (ListenAddress{"::1", 8443, true}));
}

}  // namespace
}  // namespace perch::net
