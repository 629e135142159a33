// Boost.Beast's parser, without its types: one translation unit includes it.
//
// It is given whole units only, which the line scanner has delimited: a head, a chunk header, or
// the last chunk with its trailers. Where it does not end exactly where the scanner did, the
// request is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "http1/refusal.h"
#include "http1/request_reader.h"

namespace perch::http1 {

// A request line and fields, with the empty line behind them.
Refusal parse_head(std::span<const std::byte> text, std::size_t limit, RequestReader& reader);

// The framing of one chunked body.
class ChunkDecoder {
 public:
  static std::unique_ptr<ChunkDecoder> make();
  virtual ~ChunkDecoder() = default;

  // A chunk's size line, after the CRLF that ends the chunk before; or the last chunk's with the
  // trailers and the empty line behind it, for which `size` becomes 0.
  virtual Refusal header(std::span<const std::byte> text, std::uint64_t& size,
                         TrailerReader& trailers) = 0;
  // Bytes of the chunk's data, no more than are left of it. False where the parser disagrees.
  virtual bool data(std::span<const std::byte> bytes) = 0;
};

}  // namespace perch::http1
