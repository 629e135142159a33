// Random traces: whatever is parked, forgotten or resized on the way, both ends agree.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "http2/codec_test_support.h"
#include "perch/http2/hpack.h"

namespace perch::http2::testing {
namespace {

constexpr int kTraces = 2'000;
constexpr int kBlocks = 60;

// Fields that repeat often enough to be found, and sizes from none to more than small tables hold.
class FieldSource {
 public:
  explicit FieldSource(std::uint64_t seed) : random_(seed) {}

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  template <class T, std::size_t kSize>
  T any_of(const T (&values)[kSize]) {
    return values[below(kSize)];
  }

  FieldList fields() {
    FieldList list;
    for (std::uint32_t i = below(9); i > 0; --i) list.push_back(field());
    return list;
  }

 private:
  DecodedField field() {
    static constexpr std::string_view kNames[] = {
        ":method", ":path",      ":status", "etag",      "content-length", "cookie",
        "date",    "user-agent", "x-a",     "x-request", "grpc-status",    ""};
    std::string value = any_of({std::string("GET"), std::string("/"), std::string("200"),
                                std::to_string(below(40)), std::string(below(60), 'v')});
    if (one_in(50)) value.assign(below(3'000), static_cast<char>(below(256)));
    return {std::string(any_of(kNames)), std::move(value), one_in(12)};
  }
  template <std::size_t kSize>
  std::string any_of(std::string (&&values)[kSize]) {
    return std::move(values[below(kSize)]);
  }

  std::mt19937_64 random_;
};

Bytes encode(HpackEncoder& encoder, const FieldList& fields, FieldSource& source) {
  Bytes out;
  encoder.begin_block(out);
  for (const DecodedField& field : fields) {
    auto indexing =
        source.one_in(6) ? HpackEncoder::Indexing::kWithout : HpackEncoder::Indexing::kIncremental;
    if (field.never_index) indexing = HpackEncoder::Indexing::kNever;
    encoder.encode(field.name, field.value, indexing, out);
  }
  return out;
}

// Feeds a block in random fragments.
bool decode(HpackDecoder& decoder, std::span<const std::byte> block, FieldSource& source,
            FieldList& fields) {
  CollectingSink sink;
  while (!block.empty() && !source.one_in(3)) {
    const std::size_t size = std::min<std::size_t>(block.size(), source.below(16));
    if (!decoder.decode(block.first(size), false, sink)) return false;
    block = block.subspan(size);
  }
  if (!decoder.decode(block, true, sink)) return false;
  fields = std::move(sink.fields);
  return true;
}

std::string blob_of(const HpackDecoder& decoder) {
  Bytes blob;
  decoder.park(blob);
  return to_hex(blob);
}

// The encoder takes sizes as a peer's settings may have it: any number of changes between blocks.
template <class Encoder>
void resize_at_random(Encoder& encoder, FieldSource& source, std::uint32_t most) {
  if (!source.one_in(5)) return;
  for (std::uint32_t i = source.below(3) + 1; i > 0; --i) {
    const std::uint32_t sizes[] = {0, 33, source.below(200), source.below(5'000), most};
    encoder.set_limit(std::min(most, source.any_of(sizes)));
  }
}

struct OwnEncoder {
  HpackEncoder encoder{16'384};
  void set_limit(std::uint32_t bytes) { encoder.set_peer_limit(bytes); }
  Bytes encode(const FieldList& fields, FieldSource& source) {
    return testing::encode(encoder, fields, source);
  }
};
struct ForeignEncoder {
  PeerDeflater encoder{16'384};
  void set_limit(std::uint32_t bytes) { encoder.set_limit(bytes); }
  Bytes encode(const FieldList& fields, FieldSource& /*source*/) { return encoder.encode(fields); }
};

// Without the never-index flags, which nghttp2's encoder adds to short cookies by itself.
FieldList text_of(FieldList fields) {
  for (DecodedField& field : fields) field.never_index = false;
  return fields;
}

template <class Encoder>
void parked_decoder_follows(Encoder& encoder, std::uint32_t announced, FieldSource& source) {
  HpackDecoder never_parked(announced);
  HpackDecoder decoder(announced);
  // Until the acknowledgement both sides live with the default.
  const int acknowledged_at = static_cast<int>(source.below(10));
  std::uint32_t most = kDefaultHeaderTableSize;
  for (int block = 0; block < kBlocks; ++block) {
    if (block == acknowledged_at) {
      never_parked.settings_acknowledged();
      decoder.settings_acknowledged();
      most = announced;
      encoder.set_limit(most);
    }
    if (block >= acknowledged_at && source.one_in(3)) {
      const std::string blob = blob_of(decoder);
      decoder = HpackDecoder(announced, from_hex(blob));
      if (source.one_in(3)) decoder = HpackDecoder(announced, from_hex(blob_of(decoder)));
    }
    resize_at_random(encoder, source, most);
    const FieldList sent = source.fields();
    const Bytes wire = encoder.encode(sent, source);
    FieldList expected;
    ASSERT_TRUE(decode(never_parked, wire, source, expected)) << to_hex(wire);
    ASSERT_EQ(text_of(expected), text_of(sent));
    FieldList received;
    ASSERT_TRUE(decode(decoder, wire, source, received)) << to_hex(wire);
    ASSERT_EQ(received, expected);
    ASSERT_EQ(decoder.table_bytes(), never_parked.table_bytes());
    ASSERT_EQ(blob_of(decoder), blob_of(never_parked));
  }
}

constexpr std::uint32_t kAnnounced[] = {0, 64, 500, 4'095, 4'096, 4'097, 16'384};

TEST(HpackParking, ADecoderParkedAtRandomNeverDiffersFromOneThatIsNot) {
  for (int trace = 0; trace < kTraces; ++trace) {
    SCOPED_TRACE(trace);
    FieldSource source(static_cast<std::uint64_t>(trace));
    const std::uint32_t announced = source.any_of(kAnnounced);
    if (trace % 2 == 0) {
      OwnEncoder encoder;
      parked_decoder_follows(encoder, announced, source);
    } else {
      ForeignEncoder encoder;
      parked_decoder_follows(encoder, announced, source);
    }
    if (HasFatalFailure()) return;
  }
}

// Parks an encoder in either way: in place, or as a new one that knows the sizes only.
void park(HpackEncoder& encoder, std::uint32_t own_limit, std::uint32_t peer_limit,
          FieldSource& source) {
  if (encoder.size_update_pending() || source.one_in(2)) {
    encoder.forget();
    return;
  }
  HpackEncoder restored(own_limit);
  restored.set_peer_limit(peer_limit);
  restored.assume_table_size(encoder.table_size_in_force());
  encoder = std::move(restored);
}

TEST(HpackParking, AnEncoderParkedAtRandomIsAlwaysUnderstood) {
  for (int trace = 0; trace < kTraces; ++trace) {
    SCOPED_TRACE(trace);
    FieldSource source(static_cast<std::uint64_t>(trace) + 1'000'000);
    const std::uint32_t own_limit = source.any_of(kAnnounced);
    std::uint32_t peer_limit = kDefaultHeaderTableSize;
    HpackEncoder never_parked(own_limit);
    HpackEncoder encoder(own_limit);
    PeerInflater never_parked_peer;
    PeerInflater peer;
    for (int block = 0; block < kBlocks; ++block) {
      if (source.one_in(4)) park(encoder, own_limit, peer_limit, source);
      while (source.one_in(4)) {
        const std::uint32_t sizes[] = {0, source.below(200), source.below(5'000), 4'096, 16'384};
        peer_limit = source.any_of(sizes);
        for (HpackEncoder* each : {&encoder, &never_parked}) each->set_peer_limit(peer_limit);
        for (PeerInflater* each : {&peer, &never_parked_peer}) each->set_limit(peer_limit);
      }
      const FieldList sent = source.fields();
      const std::uint32_t revision = encoder.revision();
      const std::size_t entries = encoder.entries();
      FieldList received;
      const Bytes wire = encode(encoder, sent, source);
      ASSERT_TRUE(peer.decode(wire, received)) << to_hex(wire);
      ASSERT_EQ(received, sent);
      ASSERT_LE(encoder.entries(), peer.entries());
      ASSERT_EQ(encoder.table_size_in_force(), peer.size_in_force());
      ASSERT_TRUE(encoder.revision() != revision || encoder.entries() == entries);
      received.clear();
      ASSERT_TRUE(never_parked_peer.decode(encode(never_parked, sent, source), received));
      ASSERT_EQ(received, sent);
      ASSERT_EQ(never_parked.entries(), never_parked_peer.entries());
    }
  }
}

// A block may be sent again while the revision at which it was encoded stands.
TEST(HpackParking, BlocksOfOneRevisionCanBeReused) {
  int reused = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    FieldSource source(seed + 2'000'000);
    HpackEncoder encoder;
    PeerInflater peer;
    FieldList sent;
    Bytes wire;
    std::uint32_t revision = 0;
    for (int block = 0; block < kBlocks; ++block) {
      if (source.one_in(8)) {
        const std::uint32_t size = source.below(2) * source.below(5'000);
        encoder.set_peer_limit(size);
        peer.set_limit(size);
      }
      if (source.one_in(20)) encoder.forget();
      if (wire.empty() || encoder.revision() != revision) {
        if (sent.empty() || source.one_in(4)) sent = source.fields();
        revision = encoder.revision();
        wire = encode(encoder, sent, source);
      } else {
        ++reused;
      }
      FieldList received;
      ASSERT_TRUE(peer.decode(wire, received)) << to_hex(wire);
      ASSERT_EQ(received, sent);
    }
  }
  EXPECT_GT(reused, 1'000);
}

}  // namespace
}  // namespace perch::http2::testing
