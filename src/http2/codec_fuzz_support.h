// What the fuzzers of field compression share.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch/http2/hpack.h"

namespace perch::http2::fuzz {

// Reads every octet of what it is given.
struct RecordingSink final : FieldSink {
  void on_field(std::string_view name, std::string_view value, bool never_index) override {
    record.append(name).append(": ").append(value).append(never_index ? " never\n" : "\n");
  }
  std::string record;
};

inline std::vector<std::byte> parked(const HpackDecoder& decoder) {
  std::vector<std::byte> blob;
  decoder.park(blob);
  return blob;
}

}  // namespace perch::http2::fuzz
