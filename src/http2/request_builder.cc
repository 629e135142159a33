#include "http2/request_builder.h"

#include <algorithm>
#include <charconv>

#include "perch/base/ascii.h"
#include "perch/http/field_text.h"

namespace perch::http2 {
namespace {

// RFC 7541 section 4.1: charged on top of each field's text.
constexpr std::size_t kFieldOverhead = 32;

bool is_visible(char c) { return c > 0x20 && c != 0x7f; }  // and bytes above 0x7f

// A target in origin-form: what RFC 3986 allows, and bytes above 0x7f, which decode_path keeps.
bool valid_target(std::string_view target) {
  return !target.empty() && target.front() == '/' && std::ranges::all_of(target, [](char c) {
    return (static_cast<unsigned char>(c) >= 0x80 || is_visible(c)) && c != '#';
  });
}

bool valid_authority(std::string_view authority) {
  return !authority.empty() && std::ranges::all_of(authority, [](char c) {
    return is_visible(c) && static_cast<unsigned char>(c) < 0x80 && c != '@' && c != '/' &&
           c != '?' && c != '#' && c != '\\';
  });
}

bool valid_scheme(std::string_view scheme) {
  const auto alpha = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !scheme.empty() && alpha(scheme.front()) && std::ranges::all_of(scheme, [&](char c) {
    return alpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
  });
}

bool valid_token(std::string_view text) {
  constexpr std::string_view kSymbols = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kSymbols.contains(c);
  });
}

bool connection_specific(std::string_view name, std::string_view value) {
  if (name == "te") return !equal_ignoring_case(value, "trailers");
  return http::is_connection_field(name);
}

}  // namespace

void RequestBuilder::begin(Kind kind) {
  kind_ = kind;
  if (kind == Kind::kRequest) {
    if (head_ == nullptr) {
      head_ = http::make_request_head();
    } else {
      head_->clear();
    }
  }
  trailers_.clear();
  cookie_.clear();
  list_bytes_ = 0;
  fields_ = crumbs_ = 0;
  urgency_ = 3;
  incremental_ = malformed_ = too_large_ = regular_seen_ = false;
  has_method_ = has_scheme_ = has_authority_ = has_path_ = has_host_ = false;
}

void RequestBuilder::on_field(std::string_view name, std::string_view value, bool never_index) {
  list_bytes_ += name.size() + value.size() + kFieldOverhead;
  if (list_bytes_ > options_.header_bytes) too_large_ = true;
  if (kind_ == Kind::kDiscard || malformed_ || too_large_) return;

  if (!name.empty() && name.front() == ':') {
    if (kind_ == Kind::kTrailers || regular_seen_) return malformed();
    return on_pseudo_field(name, value);
  }
  regular_seen_ = true;
  if (!http::valid_field(name, value) || connection_specific(name, value)) return malformed();
  if (name != "cookie" && ++fields_ > options_.header_fields) {
    too_large_ = true;
    return;
  }
  if (kind_ == Kind::kTrailers) {
    trailers_.add(name, value, never_index);
  } else {
    on_request_field(name, value, never_index);
  }
}

void RequestBuilder::on_pseudo_field(std::string_view name, std::string_view value) {
  if (name == ":method") {
    if (has_method_ || !valid_token(value)) return malformed();
    has_method_ = true;
    head_->method = http::parse_method(value);
    if (head_->method == http::Method::kOther) head_->method_text = value;
  } else if (name == ":path") {
    if (has_path_ || !(value == "*" || valid_target(value))) return malformed();
    has_path_ = true;
    head_->target = value;
  } else if (name == ":scheme") {
    if (has_scheme_ || !valid_scheme(value)) return malformed();
    has_scheme_ = true;
    head_->scheme = value;
  } else if (name == ":authority") {
    if (has_authority_ || !valid_authority(value)) return malformed();
    has_authority_ = true;
    head_->authority = value;
  } else {
    malformed();
  }
}

void RequestBuilder::on_request_field(std::string_view name, std::string_view value,
                                      bool never_index) {
  switch (name.size()) {
    case 4:
      if (name == "host") {
        // Told apart from :authority by RFC 9113 section 8.3.1; kept in one place for handlers.
        if (has_host_ || !valid_authority(value)) return malformed();
        if (has_authority_ && !equal_ignoring_case(value, head_->authority)) return malformed();
        has_host_ = true;
        if (!has_authority_) head_->authority = value;
        return;
      }
      break;
    case 6:
      if (name == "cookie") {
        // RFC 9113 section 8.2.3: crumbs are one field once they leave HTTP/2.
        if (++crumbs_ > options_.cookie_crumbs) {
          too_large_ = true;
          return;
        }
        if (!cookie_.empty()) cookie_ += "; ";
        cookie_ += value;
        return;
      }
      break;
    case 8:
      if (name == "priority") parse_priority_field(value, urgency_, incremental_);
      break;
    case 14:
      if (name == "content-length") {
        std::uint64_t length = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), length);
        if (error != std::errc() || end != value.data() + value.size() ||
            head_->content_length.has_value()) {
          return malformed();
        }
        head_->content_length = length;
      }
      break;
    default:
      break;
  }
  head_->fields.add(name, value, never_index);
}

bool RequestBuilder::finish_request() {
  if (!has_method_) return false;
  if (head_->method == http::Method::kConnect) {
    return !has_scheme_ && !has_path_ && has_authority_;
  }
  if (!has_scheme_ || !has_path_) return false;
  if (head_->target == "*" && head_->method != http::Method::kOptions) return false;
  // An http or https URI has an authority, and the request must carry it.
  return has_authority_ || has_host_;
}

RequestBuilder::Outcome RequestBuilder::finish() {
  if (kind_ == Kind::kDiscard) return Outcome::kComplete;
  if (malformed_) return Outcome::kMalformed;
  if (too_large_) return Outcome::kTooLarge;
  if (kind_ == Kind::kTrailers) return Outcome::kComplete;
  if (!cookie_.empty()) head_->fields.add("cookie", cookie_);
  return finish_request() ? Outcome::kComplete : Outcome::kMalformed;
}

void parse_priority_field(std::string_view text, std::uint8_t& urgency, bool& incremental) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    item = item.substr(0, item.find(';'));  // members may have parameters, none of them known
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    while (!item.empty() && is_blank(item.front())) item.remove_prefix(1);
    while (!item.empty() && is_blank(item.back())) item.remove_suffix(1);
    if (item.size() == 3 && item.starts_with("u=") && item[2] >= '0' && item[2] <= '7') {
      urgency = static_cast<std::uint8_t>(item[2] - '0');
    } else if (item == "i" || item == "i=?1") {
      incremental = true;
    } else if (item == "i=?0") {
      incremental = false;
    }
  }
}

}  // namespace perch::http2
