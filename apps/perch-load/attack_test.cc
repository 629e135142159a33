#include "perch-load/attack.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch-load/attack_run.h"
#include "perch/base/bytes.h"
#include "perch/http2/hpack.h"

namespace perch::load {
namespace {

const TargetUrl kTarget = parse_target_url("http://h:80/x").value();

// "type:stream+length " of each of the first frames.
std::string frames_of(std::span<const std::byte> wire, std::size_t at_most = 6) {
  std::string text;
  for (; wire.size() >= http2::kFrameHeaderBytes && at_most != 0; --at_most) {
    const auto header = http2::read_frame_header(wire);
    text += std::to_string(static_cast<int>(header.type)) + ":" + std::to_string(header.stream_id) +
            "+" + std::to_string(header.length) + " ";
    wire = wire.subspan(http2::kFrameHeaderBytes + header.length);
  }
  return text;
}

TEST(Attack, EveryKindBeginsAndGoesOn) {
  for (const AttackKind& kind : attack_kinds()) {
    SCOPED_TRACE(kind.name);
    EXPECT_EQ(find_attack(kind.name), &kind);
    Attack attack(kind, kTarget);
    std::vector<std::byte> out;
    attack.greet(out);
    EXPECT_EQ(as_text(out).starts_with(http2::kClientPreface), !kind.http1);
    out.clear();
    attack.begin(out);
    out.clear();
    const std::size_t written = attack.more(out);
    EXPECT_EQ(written == 0, out.empty());
  }
  EXPECT_EQ(find_attack("kindness"), nullptr);
}

TEST(Attack, RapidResetOpensAndResetsOneStreamAfterAnother) {
  Attack attack(*find_attack("rapid-reset"), kTarget);
  std::vector<std::byte> out;
  EXPECT_EQ(attack.more(out), 50U);
  const auto head = http2::read_frame_header(out);
  const std::string length = std::to_string(head.length);
  EXPECT_EQ(frames_of(out, 4), "1:1+" + length + " 3:1+4 1:3+" + length + " 3:3+4 ");
}

TEST(Attack, SlowFrameNeverEnds) {
  Attack attack(*find_attack("slow-frame"), kTarget);
  std::vector<std::byte> out;
  for (int i = 0; i < 1000; ++i) attack.more(out);
  const auto header = http2::read_frame_header(out);
  EXPECT_EQ(out.size(), http2::kFrameHeaderBytes + header.length - 1);
}

TEST(Attack, BombDecodesToManyTimesItsSize) {
  struct Size final : http2::FieldSink {
    void on_field(std::string_view name, std::string_view value, bool) override {
      bytes += name.size() + value.size();
    }
    std::size_t bytes = 0;
  } size;
  Attack attack(*find_attack("hpack-bomb"), kTarget);
  std::vector<std::byte> begin, more;
  attack.begin(begin);
  attack.more(more);
  http2::HpackDecoder decoder;
  ASSERT_TRUE(decoder.decode(std::span(begin).subspan(http2::kFrameHeaderBytes), true, size));
  size.bytes = 0;
  ASSERT_TRUE(decoder.decode(std::span(more).subspan(http2::kFrameHeaderBytes), true, size));
  EXPECT_GT(size.bytes, 60'000'000U);
}

TEST(EndingScanner, FindsGoawayAmongOtherFramesCutAnywhere) {
  std::vector<std::byte> wire;
  http2::FrameWriter writer(wire);
  writer.settings({});
  writer.data(1, std::vector<std::byte>(100), true);
  writer.goaway(1, http2::ErrorCode::kEnhanceYourCalm, as_bytes("too many resets"));
  writer.ping(1, true);
  for (const std::size_t piece : {1U, 10U, 1000U}) {
    EndingScanner scanner;
    int settings = 0;
    for (std::span<const std::byte> rest(wire); !rest.empty();
         rest = rest.subspan(std::min(piece, rest.size()))) {
      settings += scanner.receive(rest.first(std::min(piece, rest.size()))) ? 1 : 0;
    }
    EXPECT_EQ(settings, 1);
    EXPECT_EQ(scanner.found(), "GOAWAY ENHANCE_YOUR_CALM");
  }
}

TEST(EndingScanner, FindsTheStatusOfHttp1) {
  EndingScanner scanner;
  EXPECT_FALSE(scanner.receive(as_bytes("HTTP/1.1 408 Request Timeout\r\n\r\nHTTP/1.1 200")));
  EXPECT_EQ(scanner.found(), "HTTP 408");
}

}  // namespace
}  // namespace perch::load
