// The receiving half of the session: bytes to events. Lines are delimited here, and their limits
// kept; what they mean is read by Beast's parser and RequestReader, unit by unit.
//
// Every decision depends on the bytes up to a fixed place only, never on how they were cut.
#include <algorithm>
#include <utility>

#include "http1/beast_parser.h"
#include "http1/request_reader.h"
#include "http1/target.h"
#include "http1/text.h"
#include "perch/base/bytes.h"
#include "perch/base/check.h"
#include "perch/http1/session.h"

namespace perch::http1 {
namespace {

constexpr std::string_view kLineEnd = "\r\n";
// Copied at once into an incomplete head or chunk header, whose end may come soon.
constexpr std::size_t kLargestStep = 8 * 1024;
// 64 bits; leading zeros count.
constexpr std::size_t kChunkSizeDigits = 16;

std::size_t request_line_limit(const SessionOptions& options) {
  constexpr std::size_t kVersionAndSpaces = sizeof("  HTTP/1.1\r\n") - 1;
  return kMethodBytes + options.target_bytes + kVersionAndSpaces;
}

std::size_t head_limit(const SessionOptions& options) {
  return request_line_limit(options) + options.header_bytes;
}

}  // namespace

bool Session::wants_input() const {
  switch (input_) {
    case Input::kWaiting:
      return !keep_alive_;
    case Input::kLengthBody:
    case Input::kChunkData:
      return !window_full_;
    default:
      return true;
  }
}

std::size_t Session::receive(std::span<const std::byte> input, Instant now) {
  now_ = now;
  std::size_t used = 0;
  while (used < input.size()) {
    const std::size_t part = receive_some(input.subspan(used));
    if (part == 0) break;
    used += part;
  }
  input_left_ = used < input.size();
  if (input_ended_ && !input_left_) end_of_input();
  return used;
}

void Session::receive_end() {
  input_ended_ = true;
  if (!input_left_) end_of_input();
}

// What is complete is answered; what is not never will be.
void Session::end_of_input() {
  if (input_ == Input::kWaiting || input_ == Input::kEnded) return;
  end();
  if (!stream_open_) return;
  ++counters_.stream_errors;
  close_stream(http::StreamEnd::kReset);
}

// Takes at least one byte, unless it must not.
std::size_t Session::receive_some(std::span<const std::byte> input) {
  switch (input_) {
    case Input::kHead:
    case Input::kChunkHeader:
      return receive_framing(input);
    case Input::kLengthBody:
    case Input::kChunkData:
      return receive_body(input);
    case Input::kWaiting:
      return keep_alive_ ? 0 : input.size();  // nothing may follow the last request
    case Input::kEnded:
      return input.size();
  }
  std::unreachable();
}

// --- heads and chunk headers

std::size_t Session::receive_framing(std::span<const std::byte> input) {
  const bool head = input_ == Input::kHead;
  const auto scan = [&](std::string_view text) {
    return head ? scan_head(text) : scan_chunk_header(text);
  };
  const auto take = [&](std::span<const std::byte> text) {
    return head ? take_head(text) : take_chunk_header(text);
  };
  // RFC 9112 section 2.2: an empty line before a request is skipped; one is.
  const auto skippable = [&](std::string_view text) {
    return head && !empty_line_seen_ && text.starts_with(kLineEnd);
  };

  if (partial_.empty()) {
    if (skippable(as_text(input))) {
      empty_line_seen_ = true;
      return kLineEnd.size();
    }
    if (const std::size_t end = scan(as_text(input)); end != 0) {
      lines_ = LineScanner();
      take(input.first(end));
      return end;
    }
    if (input_ == Input::kEnded) return input.size();
    partial_.assign(input.begin(), input.end());
    partial_since_ = now_;
    return input.size();
  }

  const std::size_t before = partial_.size();
  const std::size_t part = std::min(input.size(), kLargestStep);
  partial_.insert(partial_.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(part));
  if (skippable(as_text(partial_))) {
    empty_line_seen_ = true;
    drop_partial();
    return kLineEnd.size() - before;
  }
  if (const std::size_t end = scan(as_text(partial_)); end != 0) {
    const std::vector<std::byte> text = std::exchange(partial_, {});
    drop_partial();
    take(std::span(text).first(end));
    return end - before;
  }
  return part;
}

void Session::drop_partial() {
  std::vector<std::byte>().swap(partial_);
  lines_ = LineScanner();
}

std::size_t Session::scan_head(std::string_view text) {
  while (true) {
    const bool first = lines_.line_start() == 0;
    const std::size_t limit = first ? request_line_limit(options_) : head_limit(options_);
    std::string_view line;
    switch (lines_.next(text.substr(0, limit), line)) {
      case LineScanner::Found::kMore:
        if (text.size() < limit) return 0;
        fail(first ? 414 : 431, first ? "request line too long" : "request head too large");
        return 0;
      case LineScanner::Found::kBareLineFeed:
        fail(400, "line feed without carriage return");
        return 0;
      case LineScanner::Found::kLine:
        break;
    }
    if (first) {
      if (const Refusal refusal = check_request_line(line, options_.target_bytes)) {
        fail(refusal.status, refusal.what);
        return 0;
      }
    } else if (line.empty()) {
      return lines_.line_start();
    } else if (is_blank(line.front())) {
      fail(400, "folded header line");
      return 0;
    }
  }
}

void Session::take_head(std::span<const std::byte> text) {
  http::RequestHeadPtr head = http::make_request_head();
  RequestReader reader(options_, *head);
  if (const Refusal refusal = parse_head(text, head_limit(options_), reader)) {
    return fail(refusal.status, refusal.what);
  }
  const std::uint64_t length = head->content_length.value_or(0);
  if (length > options_.body_bytes) return fail(413, "request body too large");

  ++counters_.requests;
  stream_open_ = true;
  stream_.context = nullptr;
  http11_ = reader.http11();
  head_request_ = head->method == http::Method::kHead;
  keep_alive_ = reader.keep_alive();
  close_after_ = empty_line_seen_ = false;
  discarded_ = 0;
  body_received_ = 0;
  period_started_ = now_;
  period_bytes_ = 0;
  if (reader.chunked()) {
    chunks_ = ChunkDecoder::make();
    extension_bytes_ = 0;
    begin_chunk_header(ChunkLine::kSize);
  } else {
    remaining_ = length;
    input_ = length > 0 ? Input::kLengthBody : Input::kWaiting;
  }
  const bool has_body = input_ != Input::kWaiting;
  expects_continue_ = has_body && reader.expects_continue();
  events_.on_request(stream_, std::move(head), !has_body);
}

void Session::begin_chunk_header(ChunkLine first) {
  input_ = Input::kChunkHeader;
  chunk_line_ = first;
}

std::size_t Session::scan_chunk_header(std::string_view text) {
  while (true) {
    std::size_t limit = lines_.line_start() + kLineEnd.size();
    if (chunk_line_ == ChunkLine::kSize) {
      limit += kChunkSizeDigits + options_.chunk_extension_bytes - extension_bytes_;
    } else if (chunk_line_ == ChunkLine::kTrailer) {
      limit = trailer_start_ + options_.header_bytes + kLineEnd.size();
    }
    std::string_view line;
    switch (lines_.next(text.substr(0, limit), line)) {
      case LineScanner::Found::kMore:
        if (text.size() < limit) return 0;
        if (chunk_line_ == ChunkLine::kTrailer) {
          fail(431, "trailers too large");
        } else {
          fail(400, "malformed chunk");
        }
        return 0;
      case LineScanner::Found::kBareLineFeed:
        fail(400, "line feed without carriage return");
        return 0;
      case LineScanner::Found::kLine:
        break;
    }
    bool complete = false;
    if (!scan_chunk_line(line, complete)) {
      fail(400, "malformed chunk");
      return 0;
    }
    if (complete) return lines_.line_start();
  }
}

bool Session::scan_chunk_line(std::string_view line, bool& complete) {
  switch (chunk_line_) {
    case ChunkLine::kDataEnd:
      chunk_line_ = ChunkLine::kSize;
      return line.empty();
    case ChunkLine::kSize: {
      const std::size_t digits =
          static_cast<std::size_t>(std::ranges::find_if_not(line, is_hex_digit) - line.begin());
      const std::size_t extension = line.size() - digits;
      const auto is_control = [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
      };
      if (digits == 0 || digits > kChunkSizeDigits) return false;
      if (extension > options_.chunk_extension_bytes - extension_bytes_) return false;
      if (std::ranges::any_of(line, is_control)) return false;
      extension_bytes_ += static_cast<std::uint32_t>(extension);
      complete = line.find_first_not_of('0') < digits;
      chunk_line_ = ChunkLine::kTrailer;
      trailer_start_ = static_cast<std::uint32_t>(lines_.line_start());
      return true;
    }
    case ChunkLine::kTrailer:
      complete = line.empty();
      return line.empty() || !is_blank(line.front());
  }
  std::unreachable();
}

void Session::take_chunk_header(std::span<const std::byte> text) {
  std::uint64_t size = 0;
  http::Fields trailers;
  TrailerReader reader(options_, trailers);
  if (const Refusal refusal = chunks_->header(text, size, reader)) {
    return fail(refusal.status, refusal.what);
  }
  if (size > options_.body_bytes - body_received_) return fail(413, "request body too large");
  if (size > 0) {
    body_received_ += size;
    remaining_ = size;
    input_ = Input::kChunkData;
    return;
  }
  chunks_.reset();
  input_ = Input::kWaiting;
  if (discarding()) return next_request();
  expects_continue_ = false;
  if (trailers.empty()) {
    events_.on_body(stream_, {}, true);
  } else {
    events_.on_trailers(stream_, std::move(trailers));
  }
}

// --- bodies

std::size_t Session::receive_body(std::span<const std::byte> input) {
  const std::size_t room = discarding() ? input.size() : body_room();
  const auto size =
      static_cast<std::size_t>(std::min<std::uint64_t>({input.size(), room, remaining_}));
  if (size == 0) {
    window_full_ = true;
    return 0;
  }
  const std::span<const std::byte> data = input.first(size);
  if (chunks_ != nullptr && !chunks_->data(data)) {
    fail(400, "malformed chunk");
    return size;
  }
  remaining_ -= size;
  period_bytes_ += size;
  bool last = false;
  if (remaining_ == 0) {
    last = input_ == Input::kLengthBody;
    if (last) {
      input_ = Input::kWaiting;
      expects_continue_ = false;
    } else {
      begin_chunk_header(ChunkLine::kDataEnd);
    }
  }
  if (!discarding()) {
    unconsumed_ += static_cast<std::uint32_t>(size);
    events_.on_body(stream_, data, last);
    if (!last && body_room() == 0) window_full_ = true;
    return size;
  }
  discarded_ += static_cast<std::uint32_t>(size);
  if (last) {
    next_request();
  } else if (discarded_ > options_.discard_bytes) {
    end();
  }
  return size;
}

}  // namespace perch::http1
