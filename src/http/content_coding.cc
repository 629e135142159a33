#include "perch/http/content_coding.h"

#include <algorithm>
#include <cstddef>

#include "perch/base/ascii.h"
#include "perch/http/field_text.h"

namespace perch::http {
namespace {

constexpr std::array<std::string_view, 4> kNames = {"identity", "gzip", "br", "zstd"};

// "1", "0.5", "0.123": at most three decimals (RFC 9110 section 12.4.2), in thousandths.
std::optional<int> parse_weight(std::string_view text) {
  if (text.empty() || (text[0] != '0' && text[0] != '1')) return std::nullopt;
  int weight = (text[0] - '0') * 1000;
  text.remove_prefix(1);
  if (text.empty()) return weight;
  if (text[0] != '.' || text.size() > 4) return std::nullopt;
  int unit = 100;
  for (char c : text.substr(1)) {
    if (!is_digit(c)) return std::nullopt;
    weight += (c - '0') * unit;
    unit /= 10;
  }
  if (weight > 1000) return std::nullopt;
  return weight;
}

// The weight behind a coding's ";", or 1 where there is none.
std::optional<int> weight_of(std::string_view parameters) {
  parameters = trim(parameters);
  if (parameters.empty()) return 1000;
  if (parameters.front() != ';') return std::nullopt;
  parameters = trim(parameters.substr(1));
  if (parameters.size() < 2 || to_lower(parameters[0]) != 'q' || parameters[1] != '=') {
    return std::nullopt;
  }
  return parse_weight(parameters.substr(2));
}

}  // namespace

std::string_view to_string(ContentCoding coding) {
  return kNames[static_cast<std::size_t>(coding)];
}

std::optional<ContentCoding> parse_content_coding(std::string_view name) {
  if (equal_ignoring_case(name, "x-gzip")) return ContentCoding::kGzip;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (equal_ignoring_case(name, kNames[i])) return static_cast<ContentCoding>(i);
  }
  return std::nullopt;
}

AcceptedCodings::AcceptedCodings(const Fields& request) {
  for (const Field& field : request) {
    if (field.name == "accept-encoding") add_line(field.value);
  }
}

void AcceptedCodings::add_line(std::string_view line) {
  for_each_element(line, [this](std::string_view member) { add_member(member); });
}

void AcceptedCodings::add_member(std::string_view member) {
  const std::size_t end = std::min(member.find(';'), member.size());
  const std::string_view name = trim(member.substr(0, end));
  const auto weight = weight_of(member.substr(end));
  if (!weight) return;
  int* known = nullptr;
  if (name == "*") {
    known = &others_;
  } else if (const auto coding = parse_content_coding(name)) {
    known = &weights_[static_cast<std::size_t>(*coding)];
  }
  if (known != nullptr && *known == kNotListed) *known = *weight;
}

int AcceptedCodings::weight(ContentCoding coding) const {
  const int listed = weights_[static_cast<std::size_t>(coding)];
  if (listed != kNotListed) return listed;
  if (coding != ContentCoding::kIdentity) return std::max(others_, 0);
  return others_ == 0 ? 0 : 1;
}

ContentCoding AcceptedCodings::choose(std::span<const ContentCoding> available) const {
  ContentCoding best = ContentCoding::kIdentity;
  int best_weight = 0;
  for (const ContentCoding coding : available) {
    if (const int own = weight(coding); own > best_weight) {
      best = coding;
      best_weight = own;
    }
  }
  return weight(ContentCoding::kIdentity) > best_weight ? ContentCoding::kIdentity : best;
}

}  // namespace perch::http
