// The client's end: reads responses strictly, knowing what was asked.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace perch::http1::testing {

using FieldLines = std::vector<std::pair<std::string, std::string>>;

struct ReceivedResponse {
  int status = 0;
  FieldLines fields;
  std::string body;
  FieldLines trailers;
  bool complete = false;  // false: more of the body must come

  // The value of the field, or "" without one.
  std::string field(std::string_view name) const;
};

// Reads all responses of `wire`. `methods` are those of the requests, in order; what comes behind
// them answers requests that were not understood. `ended`: the server closed the connection.
// `error` is what is wrong with the responses, or "".
std::vector<ReceivedResponse> read_responses(std::string_view wire,
                                             const std::vector<std::string>& methods, bool ended,
                                             std::string& error);

}  // namespace perch::http1::testing
