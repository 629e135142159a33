// Arbitrary blocks in arbitrary fragments: a decoder that is parked and restored on the way must
// agree with one that never is, up to the same error.
//
// Input: an octet that selects the announced table size; then pieces, each an octet of control (its
// low 5 bits: length, 0x20: end of block, 0x40: park, 0x80: acknowledge) and so many octets.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "http2/codec_fuzz_support.h"

namespace {

using namespace perch::http2;

void require(bool condition) {
  if (!condition) std::abort();
}

constexpr std::uint32_t kAnnounced[] = {0, 50, 200, 4'095, 4'096, 4'097, 10'000, 65'536};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  auto input = std::as_bytes(std::span(data, size));
  const std::uint32_t announced = kAnnounced[data[0] % std::size(kAnnounced)];
  input = input.subspan(1);

  HpackDecoder plain(announced);
  HpackDecoder parked(announced);
  bool between_blocks = true;
  bool acknowledged = false;
  while (!input.empty()) {
    const auto control = std::to_integer<unsigned>(input[0]);
    input = input.subspan(1);
    const auto piece = input.first(std::min<std::size_t>(control & 0x1f, input.size()));
    input = input.subspan(piece.size());
    const bool end = (control & 0x20) != 0;

    if (between_blocks && !acknowledged && (control & 0x80) != 0) {
      plain.settings_acknowledged();
      parked.settings_acknowledged();
      acknowledged = true;
    }
    // Before the acknowledgement nothing is parked.
    if (between_blocks && acknowledged && (control & 0x40) != 0) {
      const std::vector<std::byte> blob = fuzz::parked(parked);
      parked = HpackDecoder(announced, blob);
      require(fuzz::parked(parked) == blob);
    }
    fuzz::RecordingSink plain_fields;
    fuzz::RecordingSink parked_fields;
    const bool decoded = plain.decode(piece, end, plain_fields);
    require(parked.decode(piece, end, parked_fields) == decoded);
    require(plain_fields.record == parked_fields.record);
    if (!decoded) return 0;
    between_blocks = end;
    require(parked.table_bytes() == plain.table_bytes());
    if (end) require(fuzz::parked(parked) == fuzz::parked(plain));
  }
  return 0;
}
