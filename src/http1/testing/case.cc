#include "http1/testing/case.h"

#include <gtest/gtest.h>

#include "http1/testing/wire.h"

namespace perch::http1::testing {
namespace {

constexpr std::string_view kCanary = "GET /canary HTTP/1.1\r\nHost: canary\r\n\r\n";

void check_case(const Case& row, const SessionOptions& options, Delivery delivery,
                std::uint32_t seed) {
  SCOPED_TRACE(std::string(row.name) + ", " + std::string(to_string(delivery)));
  Wire wire(delivery, options, seed);
  wire.send(row.input);
  EXPECT_EQ(wire.summary(), row.outcome);
  EXPECT_EQ(wire.violation(), "");
  EXPECT_EQ(wire.unread(), 0U);
  const std::size_t requests = wire.owner.requests().size();
  if (row.outcome.ends_with("closed")) {
    wire.send(kCanary);
    EXPECT_EQ(wire.summary(), row.outcome);
    EXPECT_EQ(wire.unread(), 0U);
  } else if (row.outcome.ends_with("open")) {
    wire.send(kCanary);
    ASSERT_EQ(wire.owner.requests().size(), requests + 1);
    EXPECT_EQ(wire.owner.requests().back().target, "/canary");
    EXPECT_EQ(wire.owner.requests().back().authority, "canary");
    EXPECT_EQ(wire.responses().back().status, 404);
    EXPECT_FALSE(wire.session().finished());
  }
  EXPECT_EQ(wire.violation(), "");
}

}  // namespace

void check_cases(std::span<const Case> cases, const SessionOptions& options) {
  for (const Case& row : cases) {
    for (const Delivery delivery : kDeliveries) {
      const std::uint32_t seeds = delivery == Delivery::kRandomCuts ? 8 : 1;
      for (std::uint32_t seed = 1; seed <= seeds; ++seed) check_case(row, options, delivery, seed);
    }
  }
}

std::string get(std::string_view lines, std::string_view target) {
  std::string text = "GET ";
  return text.append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(lines).append("\r\n");
}

std::string post(std::string_view lines, std::string_view body, std::string_view target) {
  std::string text = "POST ";
  text.append(target).append(" HTTP/1.1\r\nHost: a\r\n").append(lines).append("\r\n");
  return text.append(body);
}

std::string chunked(std::string_view body) { return post("Transfer-Encoding: chunked\r\n", body); }

std::string repeat(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all.append(text);
  return all;
}

}  // namespace perch::http1::testing
