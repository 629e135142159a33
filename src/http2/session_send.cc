// The sending half of the session: responses to frames, as flow control and the peer's limits
// allow.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

#include "http2/request_builder.h"
#include "perch/base/check.h"
#include "perch/http2/session.h"

namespace perch::http2 {
namespace {

using Indexing = HpackEncoder::Indexing;

// We never fill larger frames, whatever the peer allows: streams would wait for each other.
constexpr std::uint32_t kLargestFrameSent = kDefaultMaxFrameSize;

// Frames that a stream without the incremental parameter sends before the next of its urgency has
// its turn: most clients state no priorities, and behind a proxy streams belong to different users.
constexpr std::uint32_t kTurnsInARow = 16;

// Fields whose values rarely come again, unless the same resource is asked for again.
bool is_volatile(std::string_view name) {
  switch (name.size()) {
    case 3:
      return name == "age";
    case 4:
      return name == "etag";
    case 8:
      return name == "location";
    case 10:
      return name == "set-cookie";
    case 13:
      return name == "last-modified" || name == "content-range";
    case 14:
      return name == "content-length";
    default:
      return false;
  }
}

// RFC 9110 section 6.4.1: these never have content.
bool has_no_content(int status) { return status == 204 || status == 304; }

// Digits of a status or a length without an allocation.
class Decimal {
 public:
  explicit Decimal(std::uint64_t value) {
    do {
      digits_[--at_] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value != 0);
  }
  std::string_view view() const { return {digits_ + at_, sizeof(digits_) - at_}; }

 private:
  char digits_[20];
  std::size_t at_ = sizeof(digits_);
};

}  // namespace

// --- the owner's answers

void Session::respond(http::ServerStream& to, http::Response response) {
  auto& stream = static_cast<Stream&>(to);
  PERCH_CHECK(stream.phase_ == Stream::Phase::kNoResponse);
  PERCH_CHECK(!std::holds_alternative<http::BodyProducer>(response.body()));
  open_header_bytes_ -= std::exchange(stream.header_bytes_, 0);
  const bool wants_body = !stream.head_request_ && !has_no_content(response.status());
  if (auto* bytes = std::get_if<Bytes>(&response.body())) {
    // A HEAD response keeps the bytes until its head is written, for Content-Length.
    stream.body_ = std::move(*bytes);
  } else if (auto* source = std::get_if<std::unique_ptr<http::BodySource>>(&response.body())) {
    stream.source_ = std::move(*source);
    if (stream.source_ != nullptr && wants_body) stream.source_->set_ready_hook(&stream);
  }
  if (response.prepared() != nullptr && response.fields().empty()) {
    stream.prepared_ = response.prepared_shared();
  } else {
    stream.response_ = std::make_unique<http::Response>(std::move(response));
  }
  stream.phase_ = Stream::Phase::kHead;
  heads_.push_back(stream);
  if (!producing_) events_.on_output_ready();
}

void Session::inform(http::ServerStream& to, int status) {
  auto& stream = static_cast<Stream&>(to);
  PERCH_CHECK(stream.phase_ == Stream::Phase::kNoResponse && status >= 100 && status < 200);
  block_.clear();
  encoder_.begin_block(block_);
  encoder_.encode(":status", Decimal(static_cast<unsigned>(status)).view(), Indexing::kWithout,
                  block_);
  FrameWriter(control_).headers(stream.id_, block_, flags::kEndHeaders);
  if (!producing_) events_.on_output_ready();
}

// --- scheduling

void Session::make_ready(Stream& stream) {
  ready_[stream.urgency_].push_back(stream);
  ready_mask_ = static_cast<std::uint8_t>(ready_mask_ | (1U << stream.urgency_));
  connection_blocked_ = false;
}

void Session::make_ready_if_blocked(Stream& stream) {
  if (stream.phase_ == Stream::Phase::kBody && !stream.is_linked()) make_ready(stream);
}

void Session::body_ready(Stream& stream) {
  if (stream.phase_ == Stream::Phase::kBody && stream.source_->at_end()) {
    // Not behind others of its urgency that wait for a window.
    stream.unlink();
    ends_.push_back(stream);
  } else {
    make_ready_if_blocked(stream);
  }
  if (!producing_) events_.on_output_ready();
}

void Session::produce(OutputQueue& out, std::size_t limit, Date date) {
  producing_ = true;
  if (!control_.empty()) {
    out.append(std::span<const std::byte>(control_));
    control_.clear();
    queued_control_ = 0;
  }
  while (!failed_ && !heads_.empty() && out.pending_bytes() < limit) {
    Stream& stream = heads_.pop_front();
    write_head(stream, out, date);
  }
  while (!failed_ && !ends_.empty()) {
    Stream& stream = ends_.pop_front();
    write_end(stream, out);
  }
  for (std::size_t urgency = 0; urgency < kReadyLists; ++urgency) {
    IntrusiveList<Stream>& list = ready_[urgency];
    while (!failed_ && !list.empty() && out.pending_bytes() < limit) {
      Stream& stream = list.front();
      const Turn turn = write_body(stream, out);
      if (turn == Turn::kConnectionBlocked) {
        connection_blocked_ = true;
        urgency = kReadyLists - 1;  // no stream has a window now
        break;
      }
      if (turn == Turn::kStreamBlocked) {
        stream.unlink();
      } else if (turn == Turn::kMore &&
                 (stream.incremental_ || ++stream.turns_ % kTurnsInARow == 0)) {
        stream.unlink();
        list.push_back(stream);
      }
    }
  }
  ready_mask_ = 0;
  for (std::size_t urgency = 0; urgency < kReadyLists; ++urgency) {
    if (!ready_[urgency].empty())
      ready_mask_ = static_cast<std::uint8_t>(ready_mask_ | (1U << urgency));
  }
  if (!control_.empty()) {  // streams that ended early have queued RST_STREAM
    out.append(std::span<const std::byte>(control_));
    control_.clear();
    queued_control_ = 0;
  }
  producing_ = false;
}

// --- heads

void Session::write_head(Stream& stream, OutputQueue& out, Date date) {
  int status = 0;
  std::span<const std::byte> block;
  if (stream.prepared_ != nullptr) {
    status = stream.prepared_->status();
    block = prepared_block(*stream.prepared_, date);
    stream.prepared_.reset();
  } else {
    const std::unique_ptr<http::Response> response = std::move(stream.response_);
    status = response->status();
    begin_head(status);
    const http::Fields* prepared =
        response->prepared() != nullptr ? &response->prepared()->fields() : nullptr;
    const http::Fields& fields = response->fields();
    const auto has = [&](std::string_view name) {
      return fields.contains(name) || (prepared != nullptr && prepared->contains(name));
    };
    if (prepared != nullptr) encode_fields(*prepared, false);
    encode_fields(fields, false);
    if (!has_no_content(status) && !has("content-length")) {
      std::optional<std::uint64_t> length;
      if (stream.source_ != nullptr) {
        length = stream.source_->size();
      } else if (prepared == nullptr) {
        length = stream.body_.size();
      }
      if (length.has_value()) {
        encoder_.encode("content-length", Decimal(*length).view(), Indexing::kWithout, block_);
      }
    }
    encode_common_fields(has("date"), has("server"), date.value);
    block = block_;
  }
  if (stream.head_request_ || has_no_content(status)) {
    stream.body_ = Bytes();
    stream.source_.reset();
  }

  const bool empty = stream.body_.empty() && stream.source_ == nullptr;
  write_header_block(stream.id_, empty, block, out);
  if (empty) return end_local(stream);
  stream.phase_ = Stream::Phase::kBody;
  // A short body that the windows admit rides along at once.
  if (stream.source_ == nullptr && stream.body_.size() <= kLargestFrameSent) {
    const Turn turn = write_body(stream, out);
    if (turn == Turn::kClosed || turn == Turn::kStreamBlocked) return;
  }
  make_ready(stream);
}

std::span<const std::byte> Session::prepared_block(const http::PreparedHead& head, Date date) {
  if (cached_heads_ == nullptr) cached_heads_ = std::make_unique<CachedHead[]>(kCachedHeads);
  CachedHead& cached = cached_heads_[head.id() % kCachedHeads];
  const bool repeats = cached.head_id == head.id();
  if (repeats && cached.size > 0 && cached.revision == encoder_.revision() &&
      cached.date_epoch == date.epoch) {
    return {cached.block, cached.size};
  }
  const std::uint32_t before = encoder_.revision();
  begin_head(head.status());
  encode_fields(head.fields(), repeats);
  encode_common_fields(head.fields().contains("date"), head.fields().contains("server"),
                       date.value);
  cached.head_id = head.id();
  cached.size = 0;
  // Unless encoding it changed the table, the same bytes will do next time.
  if (repeats && encoder_.revision() == before && block_.size() <= sizeof(cached.block)) {
    cached.size = static_cast<std::uint8_t>(block_.size());
    cached.revision = before;
    cached.date_epoch = date.epoch;
    std::memcpy(cached.block, block_.data(), block_.size());
  }
  return block_;
}

void Session::begin_head(int status) {
  block_.clear();
  encoder_.begin_block(block_);
  encoder_.encode(":status", Decimal(static_cast<unsigned>(status)).view(), Indexing::kIncremental,
                  block_);
}

void Session::encode_fields(const http::Fields& fields, bool repeats) {
  for (const http::Field field : fields) {
    Indexing indexing = Indexing::kIncremental;
    if (field.sensitive) {
      indexing = Indexing::kNever;
    } else if (!repeats && is_volatile(field.name)) {
      indexing = Indexing::kWithout;
    }
    encoder_.encode(field.name, field.value, indexing, block_);
  }
}

void Session::encode_common_fields(bool has_date, bool has_server, std::string_view date) {
  if (!has_date && !date.empty()) encoder_.encode("date", date, Indexing::kIncremental, block_);
  if (!has_server && !options_.server_name.empty()) {
    encoder_.encode("server", options_.server_name, Indexing::kIncremental, block_);
  }
}

void Session::write_header_block(StreamId stream, bool end_stream, std::span<const std::byte> block,
                                 OutputQueue& out) {
  FrameType type = FrameType::kHeaders;
  std::uint8_t frame_flags = end_stream ? flags::kEndStream : std::uint8_t{0};
  do {
    const std::size_t part = std::min<std::size_t>(block.size(), kLargestFrameSent);
    if (part == block.size()) frame_flags |= flags::kEndHeaders;
    std::byte* frame = out.extend(kFrameHeaderBytes + part);
    write_frame_header({static_cast<std::uint32_t>(part), type, frame_flags, stream}, frame);
    std::memcpy(frame + kFrameHeaderBytes, block.data(), part);
    block = block.subspan(part);
    type = FrameType::kContinuation;
    frame_flags = 0;
  } while (!block.empty());
}

// --- bodies

Session::Turn Session::write_body(Stream& stream, OutputQueue& out) {
  const std::int64_t window =
      std::min<std::int64_t>({stream.send_window_, send_window_, kLargestFrameSent});
  const std::size_t room = window > 0 ? static_cast<std::size_t>(window) : 0;
  if (stream.source_ != nullptr) return pull_body(stream, room, out);

  if (room == 0) return send_window_ <= 0 ? Turn::kConnectionBlocked : Turn::kStreamBlocked;
  const std::size_t size = std::min(room, stream.body_.size());
  const bool last = size == stream.body_.size();
  write_data(stream, last ? std::move(stream.body_) : stream.body_.take_front(size), last, out);
  if (!last) return Turn::kMore;
  end_local(stream);
  return Turn::kClosed;
}

Session::Turn Session::pull_body(Stream& stream, std::size_t room, OutputQueue& out) {
  if (room == 0) {
    if (!stream.source_->at_end()) {
      return send_window_ <= 0 ? Turn::kConnectionBlocked : Turn::kStreamBlocked;
    }
    write_end(stream, out);  // END_STREAM needs no window
    return Turn::kClosed;
  }
  http::PullResult pulled = stream.source_->pull(room);
  switch (pulled.kind) {
    case http::PullResult::Kind::kData: {
      PERCH_CHECK(!pulled.data.empty() && pulled.data.size() <= room);
      const bool last = pulled.last && stream.source_->trailers() == nullptr;
      write_data(stream, std::move(pulled.data), last, out);
      if (!pulled.last) return Turn::kMore;
      if (!last) {
        write_end(stream, out);
      } else {
        end_local(stream);
      }
      return Turn::kClosed;
    }
    case http::PullResult::Kind::kBlocked:
      return Turn::kStreamBlocked;
    case http::PullResult::Kind::kEnd:
      write_end(stream, out);
      return Turn::kClosed;
    case http::PullResult::Kind::kFailed:
      queue_rst_stream(stream.id_, ErrorCode::kInternalError);
      close_stream(stream, ErrorCode::kInternalError);
      return Turn::kClosed;
  }
  std::unreachable();
}

void Session::write_end(Stream& stream, OutputQueue& out) {
  const http::Fields* trailers = stream.source_->trailers();
  if (trailers != nullptr && !trailers->empty()) {
    block_.clear();
    encoder_.begin_block(block_);
    encode_fields(*trailers, false);
    write_header_block(stream.id_, true, block_, out);
  } else {
    write_data(stream, Bytes(), true, out);
  }
  end_local(stream);
}

void Session::write_data(Stream& stream, Bytes data, bool end_stream, OutputQueue& out) {
  const auto size = static_cast<std::uint32_t>(data.size());
  write_frame_header(
      {size, FrameType::kData, end_stream ? flags::kEndStream : std::uint8_t{0}, stream.id_},
      out.extend(kFrameHeaderBytes));
  stream.stall_.wrote(size);
  stall_.wrote(size);
  stream.send_window_ -= static_cast<std::int32_t>(size);
  send_window_ -= size;
  out.append(std::move(data));
}

void Session::end_local(Stream& stream) {
  stream.phase_ = Stream::Phase::kDone;
  if (stream.remote_ended_) return close_stream(stream, ErrorCode::kNoError);
  if (goaway_final_sent_) return stop_request(stream);
  stream.done_at_ = now_;
  stream.request_unwanted_ = true;
  ++unfinished_requests_;
  discard_request(stream);
}

// RFC 9113 section 8.1: the response is whole, the rest of the request is not wanted.
void Session::stop_request(Stream& stream) {
  queue_rst_stream(stream.id_, ErrorCode::kNoError);
  close_stream(stream, ErrorCode::kNoError);
}

void Session::stop_requests_done_before(Instant when) {
  while (unfinished_requests_ > 0) {
    Stream* found = nullptr;
    streams_.for_each([&](Stream& stream) {
      if (stream.request_unwanted_ && stream.done_at_ <= when) found = &stream;
    });
    if (found == nullptr) return;
    stop_request(*found);
  }
}

}  // namespace perch::http2
