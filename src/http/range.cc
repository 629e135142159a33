#include "perch/http/range.h"

#include <algorithm>
#include <optional>

#include "perch/base/ascii.h"
#include "perch/http/field_text.h"

namespace perch::http {
namespace {

// Cuts a number off the front; what does not fit is the largest there is, which lies beyond the end
// of every file. Nothing where there is no digit.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  if (text.empty() || !is_digit(text.front())) return std::nullopt;
  std::uint64_t number = 0;
  for (; !text.empty() && is_digit(text.front()); text.remove_prefix(1)) {
    const auto digit = static_cast<std::uint64_t>(text.front() - '0');
    const bool fits = number <= (UINT64_MAX - digit) / 10;
    number = fits ? number * 10 + digit : UINT64_MAX;
  }
  return number;
}

// One range as it is written: "first-last", "first-" or "-suffix".
struct RangeSpec {
  std::optional<std::uint64_t> first;
  std::optional<std::uint64_t> last;  // or the length of a suffix
};

std::optional<RangeSpec> parse_spec(std::string_view text) {
  RangeSpec spec;
  spec.first = take_number(text);
  if (!text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  spec.last = take_number(text);
  if (!text.empty() || (!spec.first && !spec.last)) return std::nullopt;
  if (spec.first && spec.last && *spec.last < *spec.first) return std::nullopt;
  return spec;
}

// REQUIRES: size > 0.
std::optional<ByteRange> within(const RangeSpec& spec, std::uint64_t size) {
  if (!spec.first) {
    if (*spec.last == 0) return std::nullopt;
    return ByteRange{size - std::min(*spec.last, size), size - 1};
  }
  if (*spec.first >= size) return std::nullopt;
  return ByteRange{*spec.first, std::min(spec.last.value_or(size - 1), size - 1)};
}

bool touch(const ByteRange& a, const ByteRange& b) {
  // Positions are below the size of a file: one more does not wrap around.
  return a.first <= b.last + 1 && b.first <= a.last + 1;
}

constexpr std::string_view kUnit = "bytes=";

bool has_byte_unit(std::string_view value) {
  return equal_ignoring_case(value.substr(0, kUnit.size()), kUnit);
}

}  // namespace

// What touches the new range is taken into it; it stands where the first of them stood.
void RangeRequest::add(ByteRange range) {
  std::size_t place = count_;
  for (std::size_t i = 0; i < count_;) {
    if (!touch(ranges_[i], range)) {
      ++i;
      continue;
    }
    range.first = std::min(range.first, ranges_[i].first);
    range.last = std::max(range.last, ranges_[i].last);
    place = std::min(place, i);
    std::copy(ranges_.begin() + i + 1, ranges_.begin() + count_, ranges_.begin() + i);
    --count_;
    i = 0;  // grown, it may touch one that it did not before
  }
  place = std::min<std::size_t>(place, count_);
  std::copy_backward(ranges_.begin() + place, ranges_.begin() + count_,
                     ranges_.begin() + count_ + 1);
  ranges_[place] = range;
  ++count_;
}

RangeRequest parse_range(std::string_view value, std::uint64_t size) {
  if (size == 0 || !has_byte_unit(value)) return {};
  RangeRequest found(RangeRequest::Kind::kUnsatisfiable);
  std::size_t listed = 0;
  for (std::string_view rest = value.substr(kUnit.size());;) {
    const std::size_t comma = rest.find(',');
    const std::string_view member = trim(rest.substr(0, comma));
    if (!member.empty()) {  // an empty member of a list is none (RFC 9110 section 5.6.1.2)
      const auto spec = parse_spec(member);
      if (!spec || ++listed > RangeRequest::kMostRanges) return {};
      if (const auto range = within(*spec, size)) {
        found.kind_ = RangeRequest::Kind::kPartial;
        found.add(*range);
      }
    }
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return listed == 0 ? RangeRequest() : found;
}

RangeRequest requested_ranges(const Fields& request, std::uint64_t size) {
  std::optional<std::string_view> value;
  for (const Field& field : request) {
    if (field.name != "range") continue;
    if (value) return {};
    value = field.value;
  }
  return value ? parse_range(*value, size) : RangeRequest();
}

std::string content_range(const ByteRange& range, std::uint64_t size) {
  std::string text = "bytes ";
  text.append(std::to_string(range.first)).append("-").append(std::to_string(range.last));
  return text.append("/").append(std::to_string(size));
}

std::string unsatisfied_range(std::uint64_t size) { return "bytes */" + std::to_string(size); }

}  // namespace perch::http
