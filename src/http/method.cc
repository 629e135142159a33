#include "perch/http/method.h"

#include <array>
#include <cstddef>

namespace perch::http {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 9> kNames = {"GET",     "HEAD",    "POST",  "PUT",  "DELETE",
                                                    "CONNECT", "OPTIONS", "TRACE", "PATCH"};

}  // namespace

Method parse_method(std::string_view text) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (text == kNames[i]) return static_cast<Method>(i);
  }
  return Method::kOther;
}

std::string_view to_string(Method method) {
  const auto index = static_cast<std::size_t>(method);
  return index < kNames.size() ? kNames[index] : std::string_view();
}

}  // namespace perch::http
