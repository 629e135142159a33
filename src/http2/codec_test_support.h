// Peers and helpers that the tests of frames and field compression share.
#pragma once

#include <cstddef>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nghttp2/nghttp2.h>

#include "perch/http2/hpack.h"

namespace perch::http2::testing {

using Bytes = std::vector<std::byte>;

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Blanks are skipped.
inline Bytes from_hex(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; };
  Bytes out;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    if (high < 0) {
      high = digit(c);
    } else {
      out.push_back(static_cast<std::byte>(high * 16 + digit(c)));
      high = -1;
    }
  }
  return out;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (const std::byte byte : bytes) {
    out += kDigits[std::to_integer<unsigned>(byte) >> 4];
    out += kDigits[std::to_integer<unsigned>(byte) & 15];
  }
  return out;
}

struct DecodedField {
  std::string name;
  std::string value;
  bool never_index = false;
  friend bool operator==(const DecodedField&, const DecodedField&) = default;
  friend std::ostream& operator<<(std::ostream& out, const DecodedField& field) {
    return out << field.name << ": " << field.value << (field.never_index ? " (never)" : "");
  }
};
using FieldList = std::vector<DecodedField>;

struct CollectingSink final : FieldSink {
  void on_field(std::string_view name, std::string_view value, bool never_index) override {
    fields.push_back({std::string(name), std::string(value), never_index});
  }
  FieldList fields;
};

// A peer's decoder: nghttp2's, used directly.
class PeerInflater {
 public:
  PeerInflater() { nghttp2_hd_inflate_new(&inflater_); }
  ~PeerInflater() { nghttp2_hd_inflate_del(inflater_); }
  PeerInflater(const PeerInflater&) = delete;
  PeerInflater& operator=(const PeerInflater&) = delete;

  // As after a SETTINGS_HEADER_TABLE_SIZE of its own that was acknowledged.
  void set_limit(std::size_t bytes) { nghttp2_hd_inflate_change_table_size(inflater_, bytes); }
  std::size_t size_in_force() const {
    return nghttp2_hd_inflate_get_max_dynamic_table_size(inflater_);
  }
  std::size_t entries() const { return nghttp2_hd_inflate_get_num_table_entries(inflater_) - 61; }

  // A whole block; false for one that does not decode.
  bool decode(std::span<const std::byte> block, FieldList& fields) {
    const auto* in = reinterpret_cast<const std::uint8_t*>(block.data());
    std::size_t left = block.size();
    for (;;) {
      nghttp2_nv nv;
      int flags = 0;
      const auto taken = nghttp2_hd_inflate_hd2(inflater_, &nv, &flags, in, left, 1);
      if (taken < 0) return false;
      in += taken;
      left -= static_cast<std::size_t>(taken);
      if ((flags & NGHTTP2_HD_INFLATE_EMIT) != 0) {
        fields.push_back({{reinterpret_cast<const char*>(nv.name), nv.namelen},
                          {reinterpret_cast<const char*>(nv.value), nv.valuelen},
                          (nv.flags & NGHTTP2_NV_FLAG_NO_INDEX) != 0});
      }
      if ((flags & NGHTTP2_HD_INFLATE_FINAL) != 0) {
        return nghttp2_hd_inflate_end_headers(inflater_) == 0;
      }
    }
  }

 private:
  nghttp2_hd_inflater* inflater_ = nullptr;
};

// A peer's encoder: nghttp2's.
class PeerDeflater {
 public:
  explicit PeerDeflater(std::size_t own_limit = kDefaultHeaderTableSize) {
    nghttp2_hd_deflate_new(&deflater_, own_limit);
  }
  ~PeerDeflater() { nghttp2_hd_deflate_del(deflater_); }
  PeerDeflater(const PeerDeflater&) = delete;
  PeerDeflater& operator=(const PeerDeflater&) = delete;

  void set_limit(std::size_t bytes) { nghttp2_hd_deflate_change_table_size(deflater_, bytes); }

  Bytes encode(const FieldList& fields) {
    std::vector<nghttp2_nv> nva;
    for (const DecodedField& field : fields) {
      const auto* name = reinterpret_cast<const std::uint8_t*>(field.name.data());
      const auto* value = reinterpret_cast<const std::uint8_t*>(field.value.data());
      nva.push_back({const_cast<std::uint8_t*>(name), const_cast<std::uint8_t*>(value),
                     field.name.size(), field.value.size(),
                     static_cast<std::uint8_t>(field.never_index ? NGHTTP2_NV_FLAG_NO_INDEX
                                                                 : NGHTTP2_NV_FLAG_NONE)});
    }
    Bytes out(nghttp2_hd_deflate_bound(deflater_, nva.data(), nva.size()));
    const auto size = nghttp2_hd_deflate_hd(deflater_, reinterpret_cast<std::uint8_t*>(out.data()),
                                            out.size(), nva.data(), nva.size());
    out.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    return out;
  }

 private:
  nghttp2_hd_deflater* deflater_ = nullptr;
};

}  // namespace perch::http2::testing
