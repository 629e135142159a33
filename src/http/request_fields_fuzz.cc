// Fields of a request that any client may fill with anything: ranges, dates, codings,
// preconditions. The first two bytes are the size of the file; the rest is the value of every
// field.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "perch/base/check.h"
#include "perch/http/conditional.h"
#include "perch/http/content_coding.h"
#include "perch/http/date.h"
#include "perch/http/path_pattern.h"
#include "perch/http/range.h"

namespace {

using namespace perch::http;

constexpr std::int64_t kNow = 1'800'000'000;

void check_ranges(std::string_view value, std::uint64_t size) {
  const RangeRequest asked = parse_range(value, size);
  const auto ranges = asked.ranges();
  PERCH_CHECK(ranges.empty() == (asked.kind() != RangeRequest::Kind::kPartial));
  PERCH_CHECK(ranges.size() <= RangeRequest::kMostRanges);
  std::string again = "bytes=";
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    PERCH_CHECK(ranges[i].first <= ranges[i].last && ranges[i].last < size);
    for (std::size_t j = 0; j < i; ++j) {
      const bool apart =
          ranges[i].last + 1 < ranges[j].first || ranges[j].last + 1 < ranges[i].first;
      PERCH_CHECK(apart);
    }
    if (i > 0) again.push_back(',');
    again.append(std::to_string(ranges[i].first)).append("-");
    again.append(std::to_string(ranges[i].last));
  }
  if (ranges.empty()) return;
  const RangeRequest second = parse_range(again, size);
  PERCH_CHECK(std::ranges::equal(second.ranges(), ranges));
}

void check_codings(const Fields& fields) {
  constexpr ContentCoding kAll[] = {ContentCoding::kBrotli, ContentCoding::kZstd,
                                    ContentCoding::kGzip};
  const AcceptedCodings accepted(fields);
  const ContentCoding chosen = accepted.choose(kAll);
  PERCH_CHECK(accepted.choose({}) == ContentCoding::kIdentity);
  for (const ContentCoding coding : kAll) {
    PERCH_CHECK(accepted.weight(coding) >= 0 && accepted.weight(coding) <= 1000);
    PERCH_CHECK(accepted.weight(coding) <= accepted.weight(chosen) ||
                accepted.weight(coding) <= accepted.weight(ContentCoding::kIdentity));
  }
  if (chosen != ContentCoding::kIdentity) PERCH_CHECK(accepted.weight(chosen) > 0);
}

void check_date(std::string_view value) {
  const auto date = parse_date(value, kNow);
  if (!date) return;
  const auto written = format_date(*date);
  PERCH_CHECK(parse_date({written.data(), written.size()}, kNow) == date);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::uint64_t file_size = std::uint64_t{data[0]} << (data[1] % 56);
  const std::string_view value(reinterpret_cast<const char*>(data) + 2, size - 2);
  check_ranges(value, file_size);
  check_date(value);

  Fields fields;
  for (const char* name : {"accept-encoding", "range", "if-range", "if-match", "if-none-match",
                           "if-modified-since", "if-unmodified-since"}) {
    fields.add(name, value);
  }
  check_codings(fields);
  const Validators validators{"\"tag\"", kNow - 10};
  evaluate(Method::kGet, fields, validators, kNow);
  range_applies(fields, validators, kNow);
  const std::size_t middle = value.size() / 2;
  PERCH_CHECK(path_matches("*", value));
  if (value.size() < 4096) path_matches(value.substr(0, middle), value.substr(middle));
  return 0;
}
