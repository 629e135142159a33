// Whatever decode_path accepts is absolute, normal, free of NUL, and survives being encoded again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "perch/base/check.h"
#include "perch/http/path.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  perch::http::percent_decode(input);
  const auto path = perch::http::decode_path(input);
  if (!path) return 0;
  PERCH_CHECK(path->size() <= input.size() + 1);
  PERCH_CHECK(path->starts_with('/'));
  PERCH_CHECK(path->find('\0') == path->npos);
  PERCH_CHECK(path->find("//") == path->npos);
  for (std::string_view left = *path; !left.empty();) {
    left.remove_prefix(1);
    const std::string_view segment = left.substr(0, left.find('/'));
    PERCH_CHECK(segment != "." && segment != "..");
    left.remove_prefix(segment.size());
  }
  PERCH_CHECK(perch::http::decode_path(perch::http::encode_path(*path)) == path);
  return 0;
}
