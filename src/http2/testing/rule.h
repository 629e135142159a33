// A rule of RFC 9113 (or 9218, 7541) as a row of a table: what a client sends after the handshake,
// and every frame that must come back. See ScriptedOwner for how the paths are answered.
#pragma once

#include <span>
#include <string>

#include "http2/testing/wire.h"

namespace perch::http2::testing {

struct Rule {
  const char* section;
  const char* text;
  void (*script)(Wire& wire);
  const char* answer;  // ReceivedFrame::describe of each frame, joined by "; "
  bool handshake = true;
};

// "s5_1_1_07" for a row of section 5.1.1 at index 7.
std::string rule_name(const Rule& rule, std::size_t index);
// Holds the rule against a session in every delivery. A script that ends in a connection error must
// leave the session finished; one that does not must leave it usable.
void check_rule(const Rule& rule);

}  // namespace perch::http2::testing

// A test for each row of `table`.
#define PERCH_TEST_RULES(Suite, table)                                                            \
  class Suite : public ::testing::TestWithParam<std::size_t> {};                                  \
  TEST_P(Suite, HoldsInEveryDelivery) { ::perch::http2::testing::check_rule(table[GetParam()]); } \
  INSTANTIATE_TEST_SUITE_P(Rules, Suite, ::testing::Range<std::size_t>(0, std::size(table)),      \
                           [](const ::testing::TestParamInfo<std::size_t>& row) {                 \
                             return ::perch::http2::testing::rule_name(table[row.param],          \
                                                                       row.param);                \
                           })
