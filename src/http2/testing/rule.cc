#include "http2/testing/rule.h"

#include <gtest/gtest.h>

namespace perch::http2::testing {

std::string rule_name(const Rule& rule, std::size_t index) {
  std::string name = "s";
  for (const char c : std::string_view(rule.section)) {
    name += (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ? c : '_';
  }
  return name + (index < 10 ? "_0" : "_") + std::to_string(index);
}

void check_rule(const Rule& rule) {
  for (const Delivery delivery : kDeliveries) {
    SCOPED_TRACE(std::string("section ") + rule.section + ": " + rule.text + " (" +
                 std::string(to_string(delivery)) + ")");
    Wire wire(delivery);
    if (rule.handshake) wire.handshake();
    rule.script(wire);
    const std::string answer = wire.answer();
    EXPECT_EQ(answer, rule.answer);
    EXPECT_EQ(wire.violation(), "");
    const bool fatal = answer.find("GOAWAY") != std::string::npos;
    EXPECT_EQ(wire.session().failed(), fatal);
    if (fatal) {
      EXPECT_TRUE(wire.session().finished());
      EXPECT_EQ(wire.session().open_streams(), 0u);
    } else if (rule.handshake) {
      wire.client.ping(0x77);
      EXPECT_EQ(wire.answer(), "PING ACK 77");
    }
    for (const auto& request : wire.owner.requests()) {
      EXPECT_EQ(request.closed, request.open == nullptr ? 1 : 0) << "stream " << request.stream;
    }
  }
}

}  // namespace perch::http2::testing
