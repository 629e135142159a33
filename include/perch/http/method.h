// Request methods (RFC 9110 section 9).
#pragma once

#include <cstdint>
#include <string_view>

namespace perch::http {

enum class Method : std::uint8_t {
  kGet,
  kHead,
  kPost,
  kPut,
  kDelete,
  kConnect,
  kOptions,
  kTrace,
  kPatch,
  kOther,  // any other token; its text is Request::method_text()
};

// Methods are case-sensitive: "get" is kOther.
Method parse_method(std::string_view text);
std::string_view to_string(Method method);  // "" for kOther

}  // namespace perch::http
