// Response heads: what is cached of them decodes to what was sent, always.
#include <random>

#include <gtest/gtest.h>

#include "http2/testing/wire.h"

namespace perch::http2 {
namespace {

using testing::FieldLines;
using testing::get;
using testing::Wire;

std::vector<std::byte> head_block(Wire& wire, StreamId id, std::string_view path) {
  wire.client.request(id, get(path));
  for (const auto& frame : wire.take()) {
    if (frame.header.type == FrameType::kHeaders) return frame.payload;
  }
  return {};
}

TEST(SessionHeads, AreCachedFromTheThirdTimeOn) {
  Wire wire;
  wire.handshake();
  const auto first = head_block(wire, 1, "/head/1");
  const auto second = head_block(wire, 3, "/head/1");
  const auto third = head_block(wire, 5, "/head/1");
  EXPECT_GT(first.size(), second.size());
  EXPECT_GT(second.size(), third.size());
  EXPECT_LE(third.size(), 8u);
  for (StreamId id = 7; id < 20; id += 2) EXPECT_EQ(head_block(wire, id, "/head/1"), third);
}

TEST(SessionHeads, FollowTheDate) {
  Wire wire;
  wire.handshake();
  for (StreamId id = 1; id < 9; id += 2) head_block(wire, id, "/head/1");
  wire.date = "Mon, 30 Nov 2026 12:00:01 GMT";
  ++wire.date_epoch;
  for (StreamId id = 9; id < 17; id += 2) {
    wire.client.request(id, get("/head/1"));
    EXPECT_EQ(wire.take()[0].field("date"), wire.date);
  }
}

TEST(SessionHeads, FollowTheTable) {
  Wire wire;
  wire.handshake();
  const auto fields_of = [&](StreamId id, std::string_view path) {
    wire.client.request(id, get(path));
    return wire.take().at(0).fields;
  };
  const FieldLines expected = fields_of(1, "/head/1");
  StreamId id = 3;
  for (int i = 0; i < 50; ++i, id += 4) {
    EXPECT_EQ(fields_of(id, "/head/1"), expected);
    fields_of(id + 2, "/head/" + std::to_string(2 + i % 10));  // new entries in between
  }
  EXPECT_EQ(wire.violation(), "");
}

TEST(SessionHeads, ShareSlotsOfTheCacheCorrectly) {
  Wire wire;
  wire.handshake();
  std::map<std::string, FieldLines> known;
  StreamId id = 1;
  for (int round = 0; round < 10; ++round) {
    for (int head = 0; head < 12; ++head, id += 2) {
      const std::string path = "/head/" + std::to_string(head);
      wire.client.request(id, get(path));
      const FieldLines fields = wire.take().at(0).fields;
      const auto [entry, added] = known.emplace(path, fields);
      EXPECT_EQ(entry->second, fields);
    }
  }
}

TEST(SessionHeads, DecodeToWhatWasSentInAnyOrder) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    auto random = [engine = std::mt19937(seed)]() mutable {
      return static_cast<std::uint32_t>(engine());
    };
    Wire wire(seed % 2 == 0 ? testing::Delivery::kWhole : testing::Delivery::kParked);
    wire.handshake();
    std::vector<std::shared_ptr<const http::PreparedHead>> heads;
    for (int i = 0; i < 12; ++i) {
      http::Fields fields;
      for (auto n = random() % 5; n > 0; --n) {
        const char* const kNames[] = {"etag",          "content-type", "x-a",
                                      "last-modified", "server",       "age"};
        fields.add(kNames[random() % std::size(kNames)],
                   std::string(random() % 30, 'v') + std::to_string(random() % 5),
                   random() % 6 == 0);
      }
      heads.push_back(std::make_shared<http::PreparedHead>(random() % 2 == 0 ? 200 : 204, fields));
    }
    for (StreamId id = 1; id < 120; id += 2) {
      if (random() % 15 == 0) {
        ++wire.date_epoch;
        wire.date = "Mon, 30 Nov 2026 12:00:" + std::to_string(10 + wire.date_epoch % 50) + " GMT";
      }
      if (random() % 20 == 0) {
        wire.client.settings(
            {{setting::kHeaderTableSize, random() % 3 == 0 ? 4'096 : random() % 600}});
        wire.exchange();
        wire.client.forget_received();
      }
      wire.client.request(id, get("/hold"));
      wire.deliver();
      const auto& head = heads[random() % heads.size()];
      FieldLines expected = {{":status", std::to_string(head->status())}};
      for (const http::Field field : head->fields()) expected.emplace_back(field.name, field.value);
      http::Response response(head, {});
      if (random() % 4 == 0) {
        response.with("x-added", std::to_string(random() % 10));
        expected.emplace_back(response.fields()[0].name, response.fields()[0].value);
      }
      expected.emplace_back("date", wire.date);
      if (!head->fields().contains("server")) expected.emplace_back("server", "perch");
      wire.owner.respond(id, std::move(response));
      ASSERT_EQ(wire.take().at(0).fields, expected) << "seed " << seed << " stream " << id;
    }
    ASSERT_EQ(wire.violation(), "");
  }
}

TEST(SessionHeads, LargerThanAFrameContinue) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/hold"));
  wire.deliver();
  http::Response response(204);
  const std::string large(20'000, '\x7e');  // Huffman coding would only lengthen it
  response.with("x-large", large).with("x-larger", large);
  wire.owner.respond(1, std::move(response));
  const auto frames = wire.take();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].continuations, 2u);
  EXPECT_EQ(frames[0].describe(), "HEADERS 1 204 END_STREAM");
  EXPECT_EQ(frames[0].field("x-larger"), large);
  EXPECT_EQ(wire.violation(), "");
}

TEST(SessionHeads, TrailersCarryTheirFields) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, get("/trailers/3000"));
  const auto frames = wire.take();
  EXPECT_EQ(frames.back().describe(), "HEADERS 1 trailers END_STREAM");
  EXPECT_EQ(frames.back().fields, (FieldLines{{"x-checksum", "3000"}}));
}

TEST(SessionHeads, RequestTrailersReachTheOwner) {
  Wire wire;
  wire.handshake();
  wire.client.request(1, testing::post(), false);
  wire.client.data(1, "body");
  wire.client.trailers(1, {{"x-a", "1"}, {"x-b", "2"}});
  wire.answer();
  EXPECT_EQ(wire.owner.request(1).trailers, (FieldLines{{"x-a", "1"}, {"x-b", "2"}}));
  EXPECT_EQ(wire.owner.request(1).body, "body");
}

}  // namespace
}  // namespace perch::http2
