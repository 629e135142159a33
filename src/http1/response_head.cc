#include "http1/response_head.h"

#include <charconv>
#include <memory>

#include "http1/text.h"

namespace perch::http1 {
namespace {

// Heads by id, one place each; larger ones are encoded each time. At most 64 KiB of text a thread.
constexpr std::size_t kCachedHeads = 128;
constexpr std::size_t kLargestCachedHead = 512;

struct PreparedCache {
  PreparedText heads[kCachedHeads];
  PreparedText large;
};

void encode(const http::PreparedHead& head, PreparedText& out) {
  out.head_id = head.id();
  out.text.clear();
  out.facts = FieldFacts();
  append_status_line(out.text, head.status());
  append_fields(out.text, head.fields(), head.status(), out.facts);
}

}  // namespace

void append_status_line(std::string& text, int status) {
  char digits[8];
  char* const end = std::to_chars(digits, digits + sizeof(digits), status).ptr;
  text.append("HTTP/1.1 ").append(digits, end).append(" ");
  text.append(http::reason_phrase(status)).append("\r\n");
}

void append_field(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

void append_fields(std::string& text, const http::Fields& fields, int status, FieldFacts& facts) {
  for (const http::Field field : fields) {
    if (!http::valid_field(field.name, field.value)) {
      facts.valid = false;
      return;
    }
    if (http::is_connection_field(field.name)) {
      if (field.name != "connection") continue;
      for_each_element(field.value, [&](std::string_view option) {
        facts.close |= equal_ignoring_case(option, "close");
      });
      continue;
    }
    if (field.name == "content-length") {
      if (status == 204) continue;  // RFC 9110 section 8.6
      const std::optional<std::uint64_t> length = parse_decimal(field.value);
      if (facts.length.has_value() || !length.has_value()) facts.valid = false;
      facts.length = length;
    }
    facts.has_date |= field.name == "date";
    facts.has_server |= field.name == "server";
    append_field(text, field.name, field.value);
  }
}

const PreparedText& prepared_text(const http::PreparedHead& head) {
  thread_local std::unique_ptr<PreparedCache> cache;
  if (cache == nullptr) cache = std::make_unique<PreparedCache>();
  PreparedText& cached = cache->heads[head.id() % kCachedHeads];
  if (cached.head_id == head.id()) return cached;
  encode(head, cache->large);
  if (cache->large.text.size() > kLargestCachedHead) return cache->large;
  cached = cache->large;
  cached.text.shrink_to_fit();
  return cached;
}

}  // namespace perch::http1
