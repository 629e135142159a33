#include "perch-load/http1_session.h"

#include <algorithm>
#include <charconv>
#include <system_error>
#include <utility>

#include "perch/base/bytes.h"
#include "perch/base/check.h"

namespace perch::load {
namespace {

// Of one response's status line and fields, and of its trailers.
constexpr std::size_t kMaxHeadBytes = 1024 * 1024;

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  return text.substr(0, text.find_last_not_of(kSpace) + 1);
}

std::optional<std::uint64_t> number(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const auto [after, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc{} || after != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// `list` is a field's comma-separated value.
bool has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

}  // namespace

void Http1Session::request(std::string_view request, std::vector<std::byte>& out) {
  PERCH_CHECK(!waiting_ && ending_.empty());
  const auto bytes = as_bytes(request);
  out.insert(out.end(), bytes.begin(), bytes.end());
  waiting_ = true;
  current_ = {};
  head_bytes_ = 0;
  part_ = Part::kStatusLine;
}

void Http1Session::receive(std::span<const std::byte> input) {
  while (!input.empty() && !broken_) {
    if (!waiting_) {
      // A server may say 408 before it closes an idle connection (RFC 9110 section 15.5.9).
      return fail(as_text(input).starts_with("HTTP/1.1 408") ? "an unasked-for 408"
                                                             : "bytes without a request");
    }
    if (in_line()) {
      input = take_line(input);
      continue;
    }
    std::span<const std::byte> data = input;
    if (part_ != Part::kUntilClose) data = data.first(std::min(data.size(), remaining_));
    current_.add_body(data);
    input = input.subspan(data.size());
    if (part_ == Part::kUntilClose) continue;
    remaining_ -= data.size();
    if (remaining_ != 0) continue;
    if (part_ == Part::kBody) {
      finish();
    } else {
      part_ = Part::kChunkEnd;
    }
  }
}

void Http1Session::receive_end() {
  if (broken_) return;
  if (waiting_ && part_ == Part::kUntilClose) finish();
  if (ending_.empty()) ending_ = waiting_ ? "closed in the middle of an answer" : "closed";
}

std::optional<Answer> Http1Session::take_answer() { return std::exchange(answer_, std::nullopt); }

std::span<const std::byte> Http1Session::take_line(std::span<const std::byte> input) {
  const std::string_view text = as_text(input);
  const std::size_t end = text.find('\n');
  const std::size_t size = std::min(end, text.size());
  line_ += text.substr(0, size);
  head_bytes_ += size;
  if (head_bytes_ > kMaxHeadBytes) {
    fail("more than 1 MiB of fields");
    return {};
  }
  if (end == text.npos) return {};
  std::string line = std::exchange(line_, {});
  if (line.ends_with('\r')) line.pop_back();
  on_line(line);
  return input.subspan(end + 1);
}

void Http1Session::on_line(std::string_view line) {
  switch (part_) {
    case Part::kStatusLine:
      return on_status_line(line);
    case Part::kFields:
      return line.empty() ? on_head_end() : on_field(line);
    case Part::kChunkSize:
      return on_chunk_size(line);
    case Part::kChunkEnd:
      if (!line.empty()) return fail("a chunk longer than its size");
      part_ = Part::kChunkSize;
      return;
    case Part::kTrailers:
      if (line.empty()) finish();
      return;
    case Part::kBody:
    case Part::kChunk:
    case Part::kUntilClose:
      PERCH_CHECK(false);
  }
}

void Http1Session::on_status_line(std::string_view line) {
  // "HTTP/1.1 200 OK"; the reason may be missing.
  constexpr std::string_view kVersion = "HTTP/1.";
  constexpr std::size_t kStatus = 9;
  const auto status = number(line.substr(std::min(kStatus, line.size()), 3), 10);
  if (!line.starts_with(kVersion) || line.size() < kStatus + 3 || line[kStatus - 1] != ' ' ||
      !status || *status < 100 || (line.size() > kStatus + 3 && line[kStatus + 3] != ' ')) {
    return fail("the server does not speak HTTP/1.1");
  }
  current_.status = static_cast<std::uint16_t>(*status);
  closes_ = line[kVersion.size()] == '0';
  chunked_ = false;
  length_.reset();
  part_ = Part::kFields;
}

void Http1Session::on_field(std::string_view line) {
  const std::size_t colon = line.find(':');
  if (colon == 0 || colon == line.npos) return fail("a field without its colon");
  const std::string_view name = line.substr(0, colon);
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (equal_ignoring_case(name, "content-length")) {
    const auto length = number(value, 10);
    if (!length || (length_ && *length_ != *length)) return fail("a malformed Content-Length");
    length_ = length;
  } else if (equal_ignoring_case(name, "transfer-encoding")) {
    if (!equal_ignoring_case(value, "chunked")) return fail("an unknown Transfer-Encoding");
    chunked_ = true;
  } else if (equal_ignoring_case(name, "connection")) {
    closes_ = (closes_ && !has_token(value, "keep-alive")) || has_token(value, "close");
  }
}

// Where the body ends is decided as RFC 9112 section 6.3 orders it.
void Http1Session::on_head_end() {
  if (current_.status == 101) return fail("an unasked-for 101");
  if (current_.status < 200) {
    part_ = Part::kStatusLine;
  } else if (current_.status == 204 || current_.status == 304) {
    finish();
  } else if (chunked_) {
    if (length_) return fail("both Content-Length and Transfer-Encoding");
    part_ = Part::kChunkSize;
  } else if (!length_) {
    part_ = Part::kUntilClose;
    closes_ = true;
  } else if (*length_ == 0) {
    finish();
  } else {
    remaining_ = *length_;
    part_ = Part::kBody;
  }
}

void Http1Session::on_chunk_size(std::string_view line) {
  const auto size = number(trimmed(line.substr(0, line.find(';'))), 16);
  if (!size) return fail("a malformed chunk size");
  remaining_ = *size;
  part_ = remaining_ == 0 ? Part::kTrailers : Part::kChunk;
  head_bytes_ = 0;
}

void Http1Session::finish() {
  waiting_ = false;
  answer_ = current_;
  if (closes_) ending_ = "Connection: close";
}

void Http1Session::fail(std::string_view what) {
  broken_ = true;
  ending_ = what;
  line_ = {};
  if (!std::exchange(waiting_, false)) return;
  current_.failure = what;
  answer_ = current_;
}

}  // namespace perch::load
