// The decoder over nghttp2's inflater, and the blob that stands for it between blocks.
#include <cstring>
#include <memory>
#include <utility>

#include <nghttp2/nghttp2.h>

#include "http2/hpack_hash.h"
#include "http2/hpack_inflater_memory.h"
#include "http2/hpack_static_table.h"
#include "http2/hpack_write.h"
#include "perch/base/check.h"
#include "perch/http2/hpack.h"
#include "perch/memory/slab.h"

namespace perch::http2 {
namespace {

struct DeleteInflater {
  void operator()(nghttp2_hd_inflater* inflater) const { nghttp2_hd_inflate_del(inflater); }
};
using InflaterPtr = std::unique_ptr<nghttp2_hd_inflater, DeleteInflater>;

nghttp2_hd_inflater* cast(void* inflater) { return static_cast<nghttp2_hd_inflater*>(inflater); }

std::string_view text_of(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// False: the block is in error.
bool inflate(nghttp2_hd_inflater* inflater, std::span<const std::byte> fragment, bool end_of_block,
             FieldSink* sink) {
  const auto* in = reinterpret_cast<const std::uint8_t*>(fragment.data());
  std::size_t left = fragment.size();
  for (;;) {
    nghttp2_nv field;
    int flags = 0;
    const auto taken =
        nghttp2_hd_inflate_hd2(inflater, &field, &flags, in, left, end_of_block ? 1 : 0);
    if (taken < 0) return false;
    in += taken;
    left -= static_cast<std::size_t>(taken);
    if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
      if (sink != nullptr) {
        sink->on_field(text_of(field.name, field.namelen), text_of(field.value, field.valuelen),
                       (field.flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0);
      }
      continue;
    }
    if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
      return nghttp2_hd_inflate_end_headers(inflater) == 0;
    }
    if (left == 0) return !end_of_block;
    if (taken == 0) return false;
  }
}

std::size_t size_in_force(nghttp2_hd_inflater* inflater) {
  return nghttp2_hd_inflate_get_max_dynamic_table_size(inflater);
}

// Puts the announced limit into force. True: the peer's table may be larger, so that its next block
// has to begin with a size update.
bool restrict_to(std::uint32_t limit, nghttp2_hd_inflater* inflater) {
  const bool larger = limit < size_in_force(inflater);
  nghttp2_hd_inflate_change_table_size(inflater, limit);
  return larger;
}

// An inflater as a connection's first block finds it, then through the blob. Null when the blob
// does not decode.
InflaterPtr make_inflater(std::uint32_t announced, std::span<const std::byte> blob) {
  nghttp2_hd_inflater* made = nullptr;
  PERCH_CHECK(nghttp2_hd_inflate_new2(&made, hpack_inflater_memory()) == 0);
  InflaterPtr inflater(made);
  if (announced > kDefaultHeaderTableSize) nghttp2_hd_inflate_change_table_size(made, announced);
  if (!blob.empty() && !inflate(made, blob, true, nullptr)) return nullptr;
  return inflater;
}

void append_blob(nghttp2_hd_inflater* inflater, std::size_t in_force,
                 std::vector<std::byte>& blob) {
  std::size_t index = nghttp2_hd_inflate_get_num_table_entries(inflater);
  if (in_force == kDefaultHeaderTableSize && index == kStaticEntries) return;
  hpack::append_integer(hpack::kSizeUpdate, static_cast<std::uint32_t>(in_force), blob);
  for (; index > kStaticEntries; --index) {
    const nghttp2_nv* entry = nghttp2_hd_inflate_get_table_entry(inflater, index);
    const std::string_view name = text_of(entry->name, entry->namelen);
    const std::string_view value = text_of(entry->value, entry->valuelen);
    const StaticMatch known = find_static(name, hpack_hash(name), value);
    hpack::append_literal(hpack::kLiteralIncremental, known.index, name, value, blob);
  }
}

}  // namespace

HpackDecoder::HpackDecoder(std::uint32_t announced) : announced_(announced) {}

HpackDecoder::HpackDecoder(std::uint32_t announced, std::span<const std::byte> blob)
    : announced_(announced), acknowledged_(true) {
  if (blob.empty()) return;
  blob_ = static_cast<std::byte*>(memory::allocate(blob.size()));
  blob_size_ = static_cast<std::uint32_t>(blob.size());
  std::memcpy(blob_, blob.data(), blob.size());
}

HpackDecoder::~HpackDecoder() { drop(); }

HpackDecoder::HpackDecoder(HpackDecoder&& other) noexcept
    : inflater_(std::exchange(other.inflater_, nullptr)),
      blob_(std::exchange(other.blob_, nullptr)),
      blob_size_(std::exchange(other.blob_size_, 0)),
      announced_(other.announced_),
      acknowledged_(other.acknowledged_),
      update_expected_(other.update_expected_),
      failed_(other.failed_),
      in_block_(std::exchange(other.in_block_, false)) {}

HpackDecoder& HpackDecoder::operator=(HpackDecoder&& other) noexcept {
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}

void HpackDecoder::drop() {
  if (inflater_ != nullptr) nghttp2_hd_inflate_del(cast(std::exchange(inflater_, nullptr)));
  drop_blob();
}

void HpackDecoder::drop_blob() {
  if (blob_ != nullptr) memory::deallocate(std::exchange(blob_, nullptr), blob_size_);
  blob_size_ = 0;
}

bool HpackDecoder::fail() {
  drop();
  failed_ = true;
  return false;
}

void HpackDecoder::settings_acknowledged() {
  PERCH_DCHECK(!in_block_);
  acknowledged_ = true;
  if (inflater_ != nullptr) update_expected_ = restrict_to(announced_, cast(inflater_));
}

bool HpackDecoder::decode(std::span<const std::byte> fragment, bool end_of_block, FieldSink& sink) {
  if (failed_) return false;
  if (inflater_ == nullptr) {
    inflater_ = make_inflater(announced_, {blob_, blob_size_}).release();
    if (inflater_ == nullptr) return fail();
    drop_blob();
    if (acknowledged_) update_expected_ = restrict_to(announced_, cast(inflater_));
  }
  if (!inflate(cast(inflater_), fragment, end_of_block, &sink)) return fail();
  in_block_ = !end_of_block;
  if (end_of_block) update_expected_ = false;
  return true;
}

void HpackDecoder::park(std::vector<std::byte>& blob) const {
  PERCH_DCHECK(!failed_ && !in_block_);
  if (inflater_ == nullptr) {
    blob.insert(blob.end(), blob_, blob_ + blob_size_);
    return;
  }
  // A size beyond what was announced makes the restored decoder expect the update again.
  const std::size_t in_force =
      update_expected_ ? std::size_t{announced_} + 1 : size_in_force(cast(inflater_));
  append_blob(cast(inflater_), in_force, blob);
}

std::size_t HpackDecoder::table_bytes() const {
  if (inflater_ != nullptr) return nghttp2_hd_inflate_get_dynamic_table_size(cast(inflater_));
  if (blob_ == nullptr) return 0;
  const InflaterPtr restored = make_inflater(announced_, {blob_, blob_size_});
  return restored == nullptr ? 0 : nghttp2_hd_inflate_get_dynamic_table_size(restored.get());
}

bool HpackDecoder::live() const { return inflater_ != nullptr; }

}  // namespace perch::http2
