// Tables of inputs, each with its one right outcome.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "perch/http1/options.h"

namespace perch::http1::testing {

struct Case {
  std::string_view name;
  std::string input;
  std::string outcome;  // as Wire::summary tells it
};

// Runs each in all deliveries. Behind it comes a request of its own: served where the outcome is
// "open", never looked at where it is "closed".
void check_cases(std::span<const Case> cases, const SessionOptions& options = {});

// A request with these lines after "Host: a".
std::string get(std::string_view lines = {}, std::string_view target = "/");
std::string post(std::string_view lines, std::string_view body, std::string_view target = "/echo");
// POST /echo with Transfer-Encoding: chunked.
std::string chunked(std::string_view body);
std::string repeat(std::string_view text, std::size_t times);

}  // namespace perch::http1::testing
