// Field compression (RFC 7541): an encoder of our own, a decoder over nghttp2's.
//
// The encoder is ours because responses want what nghttp2's does not offer: entity tags and lengths
// of files that a connection keeps asking for go into the table, encoded heads can be reused while
// the table stands still, and a parked connection forgets its encoder's table for free. Forgetting
// needs no signal to the peer: what the encoder still knows is always the newest part of the peer's
// table, and indices count from the newest entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "perch/http/fields.h"

namespace perch::http2 {

inline constexpr std::uint32_t kDefaultHeaderTableSize = 4096;

// Thread-safety: none.
class HpackEncoder {
 public:
  enum class Indexing : std::uint8_t {
    kIncremental,  // becomes a table entry
    kWithout,      // one use
    kNever,        // must not be indexed by intermediaries either
  };

  // Uses at most `own_limit` bytes of table, and never more than the peer allows.
  explicit HpackEncoder(std::uint32_t own_limit = kDefaultHeaderTableSize);
  ~HpackEncoder();
  HpackEncoder(HpackEncoder&&) noexcept;
  HpackEncoder& operator=(HpackEncoder&&) noexcept;

  // The peer's SETTINGS_HEADER_TABLE_SIZE. The next block begins with the size updates that RFC
  // 7541 section 4.2 asks for.
  void set_peer_limit(std::uint32_t bytes);
  bool size_update_pending() const;

  // Appends to `out`. A block begins with `begin_block`.
  void begin_block(std::vector<std::byte>& out);
  void encode(std::string_view name, std::string_view value, Indexing indexing,
              std::vector<std::byte>& out);

  // Changes whenever the table does or a size update becomes due: bytes encoded at one revision
  // decode to the same fields, without another `begin_block`, as long as the revision stands.
  std::uint32_t revision() const;

  // The size that the peer's table has by what was last signalled.
  std::uint32_t table_size_in_force() const;
  std::size_t entries() const;

  // Drops what is known of the table, as parking does.
  void forget();
  // After a restore: the size in force. REQUIRES: nothing encoded yet.
  void assume_table_size(std::uint32_t bytes);

 private:
  class Table;
  std::uint32_t target() const;  // the size to signal

  std::unique_ptr<Table> table_;  // null while nothing is in it
  std::uint32_t own_limit_;
  std::uint32_t peer_limit_ = kDefaultHeaderTableSize;
  std::uint32_t in_force_ = kDefaultHeaderTableSize;
  std::uint32_t smallest_target_;  // since the last block
  std::uint32_t revision_ = 0;
};

class FieldSink {
 public:
  // The views live until the call returns.
  virtual void on_field(std::string_view name, std::string_view value, bool never_index) = 0;

 protected:
  ~FieldSink() = default;
};

// Decodes header blocks, and turns into a short blob between them.
//
// The blob (RFC 7541 representations): a Dynamic Table Size Update of the size in force, then the
// entries, oldest first, as literals with incremental indexing. An empty table of the default size
// is an empty blob. The inflater (about 2.8 KB) exists only from the first block on;
// before, a decoder is `sizeof` and the blob.
//
// Thread-safety: none.
class HpackDecoder {
 public:
  // `announced` is what this side sent as SETTINGS_HEADER_TABLE_SIZE. Where that is less than the
  // default, it binds the peer only once it is acknowledged.
  explicit HpackDecoder(std::uint32_t announced = kDefaultHeaderTableSize);
  // As `park` left it. The blob is copied and checked when the next block arrives; a blob that does
  // not decode makes `decode` fail.
  HpackDecoder(std::uint32_t announced, std::span<const std::byte> blob);
  ~HpackDecoder();
  HpackDecoder(HpackDecoder&&) noexcept;
  HpackDecoder& operator=(HpackDecoder&&) noexcept;

  // The peer acknowledged `announced`: if it has to use less than before, its next block must begin
  // with a size update. A restored decoder has been told. REQUIRES: between blocks.
  void settings_acknowledged();

  // Decodes the next fragment of a block; fragments may be cut anywhere. False: COMPRESSION_ERROR,
  // and the decoder is of no further use.
  [[nodiscard]] bool decode(std::span<const std::byte> fragment, bool end_of_block,
                            FieldSink& sink);

  // Appends the blob. REQUIRES: between blocks.
  void park(std::vector<std::byte>& blob) const;

  // The dynamic table's size as RFC 7541 section 4.1 counts it. Zero-cost only when live.
  std::size_t table_bytes() const;
  bool live() const;  // an inflater exists

 private:
  bool fail();
  void drop();
  void drop_blob();

  void* inflater_ = nullptr;   // nghttp2's
  std::byte* blob_ = nullptr;  // on the slab heap, until there is an inflater
  std::uint32_t blob_size_ = 0;
  std::uint32_t announced_;
  bool acknowledged_ = false;
  bool update_expected_ = false;  // by the acknowledgement
  bool failed_ = false;
  bool in_block_ = false;
};

// The Huffman code of RFC 7541 appendix B.
std::size_t huffman_encoded_size(std::string_view text);
void huffman_encode(std::string_view text, std::vector<std::byte>& out);

}  // namespace perch::http2
