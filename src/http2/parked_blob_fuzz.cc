// Restores a decoder from arbitrary octets. What decodes must park again to a blob that is its own
// fixed point; what does not must be an error of the next block.
//
// Input: an octet that selects the announced table size, then the blob.
#include <cstdint>
#include <cstdlib>

#include "http2/codec_fuzz_support.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perch::http2;
  if (size == 0) return 0;
  constexpr std::uint32_t kAnnounced[] = {0, 100, 4'096, 16'384};
  const std::uint32_t announced = kAnnounced[data[0] % std::size(kAnnounced)];
  const auto blob = std::as_bytes(std::span(data, size)).subspan(1);

  // A size update that is always allowed, then an indexed field.
  constexpr std::byte kBlock[] = {std::byte{0x20}, std::byte{0x82}};
  fuzz::RecordingSink sink;
  HpackDecoder decoder(announced, blob);
  const std::size_t table_bytes = decoder.table_bytes();
  const bool decoded = decoder.decode(kBlock, true, sink);
  if (decoded != (sink.record == ":method: GET\n")) std::abort();
  if (!decoded) return 0;
  if (decoder.table_bytes() != 0 || fuzz::parked(decoder)[0] != std::byte{0x20}) std::abort();

  // The blob is in order: bring a decoder to life without touching the table.
  HpackDecoder first(announced, blob);
  if (!first.decode({}, true, sink)) return 0;  // it owes a size update
  if (first.table_bytes() > table_bytes) std::abort();
  const std::vector<std::byte> once = fuzz::parked(first);
  HpackDecoder second(announced, once);
  if (!second.decode({}, true, sink)) std::abort();
  if (fuzz::parked(second) != once || second.table_bytes() != first.table_bytes()) std::abort();
  return 0;
}
