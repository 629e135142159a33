#include "http1/request_reader.h"

#include "http1/target.h"
#include "http1/text.h"

namespace perch::http1 {
namespace {

// Charged on top of each field's text, as in HTTP/2.
constexpr std::size_t kFieldOverhead = 32;

}  // namespace

Refusal FieldMeter::count(std::string_view name, std::string_view value) {
  bytes_ += name.size() + value.size() + kFieldOverhead;
  if (bytes_ > options_.header_bytes) return {431, "header fields too large"};
  if (++fields_ > options_.header_fields) return {431, "too many header fields"};
  return {};
}

std::string_view FieldMeter::lower_case(std::string_view name) {
  char* out = name_;
  if (name.size() > sizeof(name_)) {
    long_name_.resize(name.size());
    out = long_name_.data();
  }
  for (std::size_t i = 0; i < name.size(); ++i) out[i] = to_lower(name[i]);
  return {out, name.size()};
}

Refusal RequestReader::request_line(std::string_view method, std::string_view target, bool http11) {
  http11_ = http11;
  head_.method = http::parse_method(method);
  if (head_.method == http::Method::kOther) head_.method_text = method;
  return read_target(target, options_.scheme, head_);
}

Refusal RequestReader::field(std::string_view received_name, std::string_view value) {
  if (Refusal refusal = meter_.count(received_name, value)) return refusal;
  const std::string_view name = meter_.lower_case(received_name);
  // Fields of the connection, and those that say where the body ends, are not the handler's.
  switch (name.size()) {
    case 4:
      if (name == "host") return host(value);
      break;
    case 6:
      if (name == "expect") {
        if (!http11_) return {};  // RFC 9110 section 10.1.1: ignored
        if (!equal_ignoring_case(value, "100-continue")) return {417, "unknown expectation"};
        if (expects_continue_) return {};
        expects_continue_ = true;
        head_.fields.add(name, "100-continue");
        return {};
      }
      break;
    case 7:
      if (name == "upgrade") return {};
      break;
    case 10:
      if (name == "connection") {
        connection(value);
        return {};
      }
      if (name == "keep-alive") return {};
      break;
    case 14:
      if (name == "content-length") return content_length(value);
      if (name == "http2-settings") return {};
      break;
    case 16:
      if (name == "proxy-connection") return {};
      break;
    case 17:
      if (name == "transfer-encoding") return transfer_encoding(value);
      break;
    default:
      break;
  }
  head_.fields.add(name, value);
  return {};
}

Refusal RequestReader::finish() {
  if (http11_ && !has_host_) return {400, "no Host"};
  if (transfer_encoding_ && !http11_) return {400, "Transfer-Encoding in HTTP/1.0"};
  if (transfer_encoding_ && head_.content_length.has_value()) {
    return {400, "both Transfer-Encoding and Content-Length"};
  }
  return {};
}

Refusal RequestReader::host(std::string_view value) {
  if (has_host_) return {400, "several Hosts"};
  if (!valid_authority(value)) return {400, "invalid Host"};
  has_host_ = true;
  // RFC 9112 section 3.2.2: an absolute-form target's authority stands instead.
  if (head_.authority.empty()) head_.authority = value;
  return {};
}

Refusal RequestReader::content_length(std::string_view value) {
  if (head_.content_length.has_value()) return {400, "several Content-Lengths"};
  head_.content_length = parse_decimal(value);
  if (!head_.content_length.has_value()) return {400, "invalid Content-Length"};
  head_.fields.add("content-length", value);
  return {};
}

// RFC 9112 section 6.3: what does not end with `chunked`, once, leaves the length unknown.
Refusal RequestReader::transfer_encoding(std::string_view value) {
  if (transfer_encoding_) return {400, "several Transfer-Encodings"};
  transfer_encoding_ = true;
  if (equal_ignoring_case(value, "chunked")) return {};
  int chunked = 0;
  bool last_is_chunked = false;
  bool empty = false;
  for_each_element(value, [&](std::string_view coding) {
    last_is_chunked = equal_ignoring_case(coding, "chunked");
    chunked += last_is_chunked ? 1 : 0;
    empty |= coding.empty();
  });
  if (last_is_chunked && chunked == 1 && !empty) return {501, "unknown transfer coding"};
  return {400, "invalid Transfer-Encoding"};
}

void RequestReader::connection(std::string_view value) {
  for_each_element(value, [&](std::string_view option) {
    close_ |= equal_ignoring_case(option, "close");
    keep_alive_ |= equal_ignoring_case(option, "keep-alive");
  });
}

Refusal TrailerReader::field(std::string_view received_name, std::string_view value) {
  if (Refusal refusal = meter_.count(received_name, value)) return refusal;
  const std::string_view name = meter_.lower_case(received_name);
  // RFC 9110 section 6.5.1: nothing that says where a message ends or where it goes.
  if (name == "host" || name == "content-length" || name == "transfer-encoding") {
    return {400, "forbidden trailer"};
  }
  trailers_.add(name, value);
  return {};
}

}  // namespace perch::http1
