#include "tls/record.h"

#include <algorithm>

#include "perch/base/bytes.h"
#include "perch/base/check.h"
#include "perch/tls/connection.h"

namespace perch::tls {

std::size_t record_size(std::span<const std::byte> header) {
  PERCH_DCHECK(header.size() >= kRecordHeaderBytes);
  const std::size_t length =
      (std::to_integer<std::size_t>(header[3]) << 8) | std::to_integer<std::size_t>(header[4]);
  if (header[1] != std::byte{3} || length > kMaxCiphertextBytes) return kRecordHeaderBytes;
  return kRecordHeaderBytes + length;
}

std::span<const std::byte> RecordAssembler::take(std::span<const std::byte>& input) {
  if (held_.empty()) {
    std::size_t whole = 0;
    while (input.size() - whole >= kRecordHeaderBytes) {
      const std::size_t size = record_size(input.subspan(whole));
      if (input.size() - whole < size) break;
      whole += size;
    }
    const auto records = input.first(whole);
    input = input.subspan(whole);
    if (whole == 0) {
      held_.assign(input.begin(), input.end());
      input = {};
    }
    return records;
  }
  // First the header, which tells how much more is needed.
  std::size_t wanted = kRecordHeaderBytes;
  while (true) {
    if (held_.size() >= kRecordHeaderBytes) wanted = record_size(held_);
    const std::size_t taken = std::min(wanted - held_.size(), input.size());
    held_.insert(held_.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(taken));
    input = input.subspan(taken);
    if (held_.size() < wanted) return {};
    if (wanted > kRecordHeaderBytes || record_size(held_) == wanted) return held_;
  }
}

void RecordAssembler::release() { std::vector<std::byte>().swap(held_); }

bool looks_like_http(std::span<const std::byte> first_bytes) {
  static constexpr std::string_view kStarts[] = {"GET /", "HEAD ", "POST ", "PUT /",
                                                 "PRI *", "OPTIO", "DELET", "PATCH",
                                                 "TRACE", "CONNE", "GET h", "PUT h"};
  if (first_bytes.size() < kRecordHeaderBytes) return false;
  return std::ranges::find(kStarts, as_text(first_bytes.first(kRecordHeaderBytes))) !=
         std::end(kStarts);
}

}  // namespace perch::tls
