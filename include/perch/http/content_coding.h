// Content codings and their negotiation by Accept-Encoding (RFC 9110 sections 8.4.1 and 12.5.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "perch/http/fields.h"

namespace perch::http {

enum class ContentCoding : std::uint8_t { kIdentity, kGzip, kBrotli, kZstd };

// As in Content-Encoding: "gzip", "br", "zstd"; "identity".
std::string_view to_string(ContentCoding coding);
// Ignores case; "x-gzip" is gzip. Nothing for a coding that is not known here.
std::optional<ContentCoding> parse_content_coding(std::string_view name);

// What a client takes, by the Accept-Encoding lines of its request. Members that are malformed are
// left out; of a coding that is listed more than once the first counts.
class AcceptedCodings {
 public:
  explicit AcceptedCodings(const Fields& request);

  // In thousandths, 0: not acceptable. A coding other than identity that is neither listed nor
  // covered by "*" is not acceptable; identity is unless it is excluded.
  int weight(ContentCoding coding) const;

  // The coding to send, of identity and `available`. The client's weights decide; among equal ones
  // the order of `available`, and identity last. Identity without a weight of its own is wanted
  // less than anything that is acceptable. Without Accept-Encoding, or where nothing is acceptable,
  // it is identity: a client that forbids even this gets something to look at rather than a 406.
  ContentCoding choose(std::span<const ContentCoding> available) const;

 private:
  static constexpr int kNotListed = -1;

  void add_line(std::string_view line);
  void add_member(std::string_view member);

  std::array<int, 4> weights_{kNotListed, kNotListed, kNotListed, kNotListed};
  int others_ = kNotListed;  // of "*"
};

}  // namespace perch::http
