// Why a request is not served: the status of the error response, and static text for a log line.
#pragma once

#include <string_view>

namespace perch::http1 {

struct Refusal {
  int status = 0;  // 0: nothing is wrong
  std::string_view what = {};

  explicit operator bool() const { return status != 0; }
};

}  // namespace perch::http1
