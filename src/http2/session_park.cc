// Sessions as records. Layout, in order; every number is a base-128 varint unless said otherwise:
//
//   1 byte    which of the following parts are there (the bits below), and GOAWAY notice sent
//   always    highest stream id of the peer
//   kWindows  the connection's send window, received bytes not yet credited to the peer
//   kSettings the peer's HEADER_TABLE_SIZE, INITIAL_WINDOW_SIZE, MAX_FRAME_SIZE, and
//             MAX_HEADER_LIST_SIZE plus one (0: not announced)
//   kBudgets  resets: start of the window (4 bytes, little-endian ms), count; useless frames: same
//   kHistory  highest id reset by this side, first and last skipped id
//   kFields   the decoder's table as HpackDecoder::park gives it, to the end of the record
//
// Everything else is at its initial value whenever can_park() holds.
#include <algorithm>

#include "http2/request_builder.h"
#include "http2/varint.h"
#include "perch/base/check.h"
#include "perch/http2/session.h"

namespace perch::http2 {
namespace {

enum RecordBits : unsigned {
  kWindows = 0x01,
  kSettings = 0x02,
  kBudgets = 0x04,
  kHistory = 0x08,
  kFields = 0x10,
  kNoticeSent = 0x20,
  kReserved = 0xc0,
};

void put_budget(std::vector<std::byte>& out, const RateWindow& budget) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    out.push_back(static_cast<std::byte>(budget.started_ms() >> shift));
  }
  put_varint(out, budget.count());
}

RateWindow take_budget(RecordReader& reader) {
  const std::uint32_t started = reader.little_endian_32();
  return {started, reader.varint(UINT32_MAX)};
}

}  // namespace

void Session::park(std::vector<std::byte>& record, Instant now) const {
  PERCH_CHECK(can_park());
  const std::size_t first = record.size();
  unsigned parts = goaway_notice_sent_ ? unsigned{kNoticeSent} : 0U;
  record.push_back(std::byte{0});
  put_varint(record, last_peer_stream_);
  if (send_window_ != kDefaultWindow || uncredited_ != 0) {
    parts |= kWindows;
    put_varint(record, static_cast<std::uint32_t>(send_window_));
    put_varint(record, uncredited_);
  }
  if (peer_ != PeerSettings()) {
    parts |= kSettings;
    put_varint(record, peer_.header_table_size);
    put_varint(record, peer_.initial_window);
    put_varint(record, peer_.max_frame_size);
    put_varint(record, peer_.max_header_list == UINT32_MAX ? 0 : peer_.max_header_list + 1);
  }
  if (!resets_.decayed(now, options_.rate_window) || !useless_.decayed(now, options_.rate_window)) {
    parts |= kBudgets;
    put_budget(record, resets_);
    put_budget(record, useless_);
  }
  if (reset_up_to_ != 0 || skipped_last_ != 0) {
    parts |= kHistory;
    put_varint(record, reset_up_to_);
    put_varint(record, skipped_first_);
    put_varint(record, skipped_last_);
  }
  const std::size_t before_fields = record.size();
  decoder_.park(record);
  if (record.size() != before_fields) parts |= kFields;
  record[first] = static_cast<std::byte>(parts);
}

std::unique_ptr<Session> Session::restore(std::span<const std::byte> record,
                                          const SessionOptions& options, http::ServerEvents& events,
                                          Instant now) {
  RecordReader reader(record);
  const unsigned parts = reader.byte();
  std::unique_ptr<Session> session(new Session(options, events, now, Restored()));
  session->goaway_notice_sent_ = (parts & kNoticeSent) != 0;
  session->last_peer_stream_ = reader.varint(kLargestStreamId);
  if ((parts & kWindows) != 0) {
    session->send_window_ = reader.varint(kLargestWindow);
    session->uncredited_ = reader.varint(session->receive_window_limit());
    session->receive_window_ -= session->uncredited_;
  }
  if ((parts & kSettings) != 0) {
    PeerSettings& peer = session->peer_;
    peer.header_table_size = reader.varint(UINT32_MAX);
    peer.initial_window = reader.varint(kLargestWindow);
    peer.max_frame_size = reader.varint(kLargestMaxFrameSize);
    const std::uint32_t list = reader.varint(UINT32_MAX);
    peer.max_header_list = list == 0 ? UINT32_MAX : list - 1;
  }
  if ((parts & kBudgets) != 0) {
    session->resets_ = take_budget(reader);
    session->useless_ = take_budget(reader);
  }
  if ((parts & kHistory) != 0) {
    session->reset_up_to_ = reader.varint(session->last_peer_stream_);
    session->skipped_first_ = reader.varint(session->last_peer_stream_);
    session->skipped_last_ = reader.varint(session->last_peer_stream_);
  }
  const bool valid = reader.good() && (parts & kReserved) == 0 &&
                     ((parts & kFields) != 0) == !reader.rest().empty() &&
                     (session->last_peer_stream_ == 0 || session->last_peer_stream_ % 2 == 1) &&
                     session->peer_.max_frame_size >= kDefaultMaxFrameSize &&
                     session->skipped_first_ <= session->skipped_last_;
  if (!valid) return nullptr;
  // The encoder's entries are dropped, and nothing needs to be signalled: see hpack.h.
  const std::uint32_t encoder_limit = session->peer_.header_table_size;
  session->encoder_.set_peer_limit(encoder_limit);
  session->encoder_.assume_table_size(std::min(encoder_limit, kDefaultHeaderTableSize));
  if ((parts & kFields) != 0) {
    session->decoder_ = HpackDecoder(kDefaultHeaderTableSize, reader.rest());
  }
  return session;
}

}  // namespace perch::http2
