// Byte ranges of a representation (RFC 9110 section 14).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "perch/http/fields.h"

namespace perch::http {

// Positions in bytes, both inclusive, as in Content-Range.
struct ByteRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;

  std::uint64_t size() const { return last - first + 1; }
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// What a Range field asks for of one representation.
class RangeRequest {
 public:
  // A field that lists more is ignored: a client that needs so many wants the whole, or harm.
  static constexpr std::size_t kMostRanges = 16;

  enum class Kind : std::uint8_t {
    kWhole,          // no Range field, or one that is ignored: 200
    kPartial,        // 206 with `ranges()`
    kUnsatisfiable,  // 416: none of the ranges has a byte in common with the representation
  };

  RangeRequest() = default;

  Kind kind() const { return kind_; }
  // Each within the representation, no two overlapping or adjacent, in the order of the field
  // (where ranges were merged: of the first of them). Not empty for kPartial.
  std::span<const ByteRange> ranges() const { return std::span(ranges_).first(count_); }

 private:
  friend RangeRequest parse_range(std::string_view value, std::uint64_t size);
  explicit RangeRequest(Kind kind) : kind_(kind) {}
  void add(ByteRange range);

  std::array<ByteRange, kMostRanges> ranges_{};
  std::uint8_t count_ = 0;
  Kind kind_ = Kind::kWhole;
};

// Reads the value of one Range field for a representation of `size` bytes. Ignored (kWhole) are
// units other than bytes, whatever is malformed, more ranges than kMostRanges, and any range of an
// empty representation. Numbers of any length are read; what lies beyond the end is cut off there.
RangeRequest parse_range(std::string_view value, std::uint64_t size);

// The same for a request. Several Range field lines are ignored. The caller sees to the method
// (only GET has ranges) and to If-Range.
RangeRequest requested_ranges(const Fields& request, std::uint64_t size);

// "bytes 0-4/10": the value of Content-Range for a part.
std::string content_range(const ByteRange& range, std::uint64_t size);
// "bytes */10": its value in a 416 response.
std::string unsatisfied_range(std::uint64_t size);

}  // namespace perch::http
