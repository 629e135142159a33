// The session against a server that is scripted byte by byte.
#include "perch-load/client_session.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "perch/base/bytes.h"
#include "perch/http2/hpack.h"

namespace perch::load {
namespace {

using http2::ErrorCode;
using http2::FrameType;
using http2::FrameWriter;
namespace flags = http2::flags;

struct Frame {
  http2::FrameHeader header;
  std::vector<std::byte> payload;
};

std::vector<Frame> frames_of(std::span<const std::byte> wire) {
  std::vector<Frame> frames;
  while (wire.size() >= http2::kFrameHeaderBytes) {
    const auto header = http2::read_frame_header(wire);
    const auto payload = wire.subspan(http2::kFrameHeaderBytes, header.length);
    frames.push_back({header, {payload.begin(), payload.end()}});
    wire = wire.subspan(http2::kFrameHeaderBytes + header.length);
  }
  EXPECT_TRUE(wire.empty());
  return frames;
}

struct FieldList final : http2::FieldSink {
  void on_field(std::string_view name, std::string_view value, bool) override {
    text += std::string(name) + "=" + std::string(value) + "\n";
  }
  std::string text;
};

using List = std::vector<std::pair<std::string_view, std::string_view>>;

// A server's side of the connection: what it writes, and its view of the client's fields.
class Server {
 public:
  std::vector<std::byte> wire;
  FrameWriter frames{wire};

  std::vector<std::byte> block(const List& fields) {
    std::vector<std::byte> out;
    encoder_.begin_block(out);
    for (const auto& [name, value] : fields) {
      encoder_.encode(name, value, http2::HpackEncoder::Indexing::kIncremental, out);
    }
    return out;
  }
  void head(http2::StreamId stream, const List& fields, std::uint8_t more_flags = 0) {
    frames.headers(stream, block(fields),
                   static_cast<std::uint8_t>(flags::kEndHeaders | more_flags));
  }
  void body(http2::StreamId stream, std::string_view text, bool end = true) {
    frames.data(stream, as_bytes(text), end);
  }
  std::string decode(const Frame& frame) {
    FieldList list;
    EXPECT_TRUE(decoder_.decode(frame.payload, frame.header.has(flags::kEndHeaders), list));
    return list.text;
  }

 private:
  http2::HpackEncoder encoder_;
  http2::HpackDecoder decoder_;
};

class ClientSessionTest : public testing::Test {
 protected:
  // Sends a request; returns the frames, without the preface.
  std::vector<Frame> request() {
    std::vector<std::byte> out;
    const bool with_preface = blocks_used_++ == 0;
    session.request(blocks, out);
    std::span<const std::byte> wire(out);
    if (with_preface) {
      EXPECT_EQ(as_text(wire.first(http2::kClientPreface.size())), http2::kClientPreface);
      wire = wire.subspan(http2::kClientPreface.size());
    }
    return frames_of(wire);
  }
  // Passes on what the server wrote, in pieces of `piece` bytes; returns what the client sent.
  std::vector<Frame> deliver(std::size_t piece = SIZE_MAX) {
    std::vector<std::byte> out;
    std::span<const std::byte> rest(server.wire);
    while (!rest.empty()) {
      const auto part = rest.first(std::min(piece, rest.size()));
      session.receive(part, out);
      rest = rest.subspan(part.size());
    }
    server.wire.clear();
    return frames_of(out);
  }
  void open() {
    request();
    server.frames.settings({});
    server.head(1, {{":status", "200"}, {"etag", "\"a\""}});
    server.body(1, "hello");
    deliver();
    first = session.take_answer();
    ASSERT_TRUE(first.has_value());
  }
  void expect_broken(ErrorCode code) {
    const auto sent = deliver();
    ASSERT_TRUE(session.broken());
    EXPECT_EQ(session.ending()->code, code);
    ASSERT_FALSE(sent.empty());
    EXPECT_EQ(sent.back().header.type, FrameType::kGoaway);
  }

  RequestBlocks blocks{request_fields(FieldSet::kBare, "localhost:80", "/x")};
  ClientSession session;
  Server server;
  std::optional<Answer> first;

 private:
  int blocks_used_ = 0;
};

TEST_F(ClientSessionTest, OpensWithPrefaceSettingsAndAGet) {
  const auto sent = request();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].header.type, FrameType::kSettings);
  EXPECT_EQ(http2::setting_at(sent[0].payload, 0),
            (http2::Setting{http2::setting::kEnablePush, 0}));
  EXPECT_EQ(sent[1].header, (http2::FrameHeader{.length = sent[1].header.length,
                                                .type = FrameType::kHeaders,
                                                .flags = flags::kEndHeaders | flags::kEndStream,
                                                .stream_id = 1}));
  EXPECT_EQ(server.decode(sent[1]),
            ":method=GET\n:authority=localhost:80\n:scheme=http\n:path=/x\n"
            "user-agent=perch-load/0.1.0\naccept=*/*\n");
}

TEST_F(ClientSessionTest, GivesStatusAndBodyOfAnAnswerThenRests) {
  request();
  server.frames.settings({});
  server.head(1, {{":status", "404"}});
  server.body(1, "ab", false);
  server.body(1, "c");
  const auto sent = deliver();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].header.type, FrameType::kSettings);
  EXPECT_TRUE(sent[0].header.has(flags::kAck));
  const auto answer = session.take_answer();
  ASSERT_TRUE(answer.has_value());
  // FNV-1a of "abc".
  EXPECT_EQ(*answer, (Answer{.status = 404, .body_bytes = 3, .body_hash = 0xe71fa2190541574bULL}));
  EXPECT_TRUE(session.resting());
  EXPECT_EQ(session.take_answer(), std::nullopt);
}

TEST_F(ClientSessionTest, TakesBytesCutAnywhere) {
  open();
  http2::StreamId stream = 1;
  for (std::size_t piece : {1U, 2U, 5U, 8U, 9U, 10U, 23U}) {
    request();
    stream += 2;
    server.frames.settings({});
    server.head(stream, {{":status", "200"}, {"etag", "\"a\""}});
    server.body(stream, "hello");
    deliver(piece);
    EXPECT_EQ(session.take_answer(), first);
    EXPECT_TRUE(session.resting());
  }
}

TEST_F(ClientSessionTest, SecondRequestIsAnsweredFromBothTables) {
  open();
  EXPECT_TRUE(session.resting());
  EXPECT_GT(session.resting_bytes(), 0U);  // the server's etag
  const auto sent = request();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].header.stream_id, 3U);
  EXPECT_EQ(sent[0].header.length, 6U);  // all indexed
  server.head(3, {{":status", "200"}, {"etag", "\"a\""}});
  server.body(3, "hello");
  deliver();
  EXPECT_EQ(session.take_answer(), first);
  EXPECT_FALSE(session.ending().has_value());
}

TEST_F(ClientSessionTest, AnswersPingAndSettingsWhileIdle) {
  open();
  server.frames.ping(0x0102030405060708, false);
  server.frames.settings({});
  const auto sent = deliver();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].header.type, FrameType::kPing);
  EXPECT_TRUE(sent[0].header.has(flags::kAck));
  EXPECT_EQ(http2::parse_ping(sent[0].header, sent[0].payload), 0x0102030405060708U);
  EXPECT_TRUE(sent[1].header.has(flags::kAck));
  EXPECT_TRUE(session.resting());
}

TEST_F(ClientSessionTest, SignalsTheTableSizeThatTheServerAnnounced) {
  const auto first_sent = request();
  server.decode(first_sent[1]);
  const http2::Setting kNoTable[] = {{http2::setting::kHeaderTableSize, 0}};
  server.frames.settings(kNoTable);
  server.head(1, {{":status", "200"}}, flags::kEndStream);
  deliver();
  ASSERT_TRUE(session.take_answer().has_value());
  const auto sent = request();
  EXPECT_EQ(std::to_integer<int>(sent[0].payload.at(0)), 0x20);  // a size update to 0
  EXPECT_NE(sent[0].header.length, 6U);
}

TEST_F(ClientSessionTest, PassesInterimResponsesTrailersPaddingAndContinuation) {
  request();
  server.frames.settings({});
  server.head(1, {{":status", "103"}, {"link", "</a>"}});
  const auto head = server.block({{":status", "200"}, {"etag", "\"b\""}});
  server.frames.headers(1, std::span(head).first(1), 0, std::uint8_t{7});
  server.frames.continuation(1, std::span(head).subspan(1), true);
  server.frames.data(1, as_bytes("hello"), false, std::uint8_t{200});
  server.head(1, {{"checksum", "1"}}, flags::kEndStream);
  deliver();
  const auto answer = session.take_answer();
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body_bytes, 5U);
  EXPECT_EQ(answer->failure, "");
}

TEST_F(ClientSessionTest, ReturnsCreditToStreamAndConnection) {
  request();
  server.frames.settings({});
  server.head(1, {{":status", "200"}});
  const std::string block(16'384, 'x');
  server.body(1, block, false);
  server.body(1, block, false);
  const auto sent = deliver();
  ASSERT_EQ(sent.size(), 3U);  // behind the acknowledgement
  EXPECT_EQ(http2::parse_window_update(sent[1].header, sent[1].payload), 32'768U);
  EXPECT_EQ(sent[1].header.stream_id, 0U);
  EXPECT_EQ(http2::parse_window_update(sent[2].header, sent[2].payload), 32'768U);
  EXPECT_EQ(sent[2].header.stream_id, 1U);
}

TEST_F(ClientSessionTest, ResetAndRefusedAnswersFailWithoutEndingTheConnection) {
  request();
  server.frames.settings({});
  server.frames.rst_stream(1, ErrorCode::kRefusedStream);
  deliver();
  EXPECT_EQ(session.take_answer()->failure, "refused by RST_STREAM");
  request();
  server.frames.rst_stream(3, ErrorCode::kInternalError);
  deliver();
  EXPECT_EQ(session.take_answer()->failure, "reset by the server");
  EXPECT_FALSE(session.ending().has_value());
}

TEST(ClientSession, ResetsAStreamWithMalformedStatus) {
  for (const char* status : {"20", "2000", "2x0", "099", "101"}) {
    SCOPED_TRACE(status);
    RequestBlocks blocks(request_fields(FieldSet::kBare, "a", "/"));
    ClientSession session;
    Server server;
    std::vector<std::byte> out;
    session.request(blocks, out);
    out.clear();
    server.frames.settings({});
    server.head(1, {{":status", status}});
    session.receive(server.wire, out);
    EXPECT_EQ(session.take_answer()->failure, "a malformed status");
    EXPECT_EQ(frames_of(out).back().header.type, FrameType::kRstStream);
    EXPECT_FALSE(session.ending().has_value());
  }
}

TEST_F(ClientSessionTest, GoawayEndsTheConnectionAndKeepsItsCode) {
  open();
  server.frames.goaway(1, ErrorCode::kEnhanceYourCalm);
  deliver();
  ASSERT_TRUE(session.ending().has_value());
  EXPECT_EQ(session.ending()->code, ErrorCode::kEnhanceYourCalm);
  EXPECT_TRUE(session.ending()->by_server);
  EXPECT_FALSE(session.broken());
}

TEST_F(ClientSessionTest, GoawayInTwoStepsLetsTheOpenStreamFinish) {
  request();
  server.frames.settings({});
  server.frames.goaway(http2::kLargestStreamId, ErrorCode::kNoError);
  deliver();
  EXPECT_TRUE(session.waiting());
  server.frames.goaway(1, ErrorCode::kNoError);
  server.head(1, {{":status", "200"}}, flags::kEndStream);
  deliver();
  EXPECT_EQ(session.take_answer()->status, 200);
}

TEST_F(ClientSessionTest, GoawayBelowTheOpenStreamRefusesIt) {
  request();
  server.frames.settings({});
  server.frames.goaway(0, ErrorCode::kNoError);
  deliver();
  EXPECT_EQ(session.take_answer()->failure, "refused by GOAWAY");
}

TEST_F(ClientSessionTest, Http1ServerIsNamed) {
  request();
  const auto text = as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n");
  server.wire.assign(text.begin(), text.end());
  expect_broken(ErrorCode::kHttp11Required);
  EXPECT_EQ(session.take_answer()->failure, "the server speaks HTTP/1.1, not HTTP/2");
}

TEST_F(ClientSessionTest, FirstFrameOtherThanSettingsBreaksIt) {
  request();
  server.frames.ping(1, false);
  expect_broken(ErrorCode::kProtocolError);
}

TEST_F(ClientSessionTest, PushPromiseBreaksIt) {
  open();
  server.frames.push_promise(1, 2, server.block({{":method", "GET"}}), flags::kEndHeaders);
  expect_broken(ErrorCode::kProtocolError);
}

TEST_F(ClientSessionTest, OtherFrameInsideAHeaderBlockBreaksIt) {
  request();
  server.frames.settings({});
  server.frames.headers(1, server.block({{":status", "200"}}), 0);
  server.frames.ping(1, false);
  expect_broken(ErrorCode::kProtocolError);
}

TEST_F(ClientSessionTest, FieldsThatDoNotDecodeBreakIt) {
  request();
  server.frames.settings({});
  const std::vector<std::byte> no_such_entry(1, std::byte{0xff});
  server.frames.headers(1, no_such_entry, flags::kEndHeaders);
  expect_broken(ErrorCode::kCompressionError);
}

TEST_F(ClientSessionTest, OversizedFrameBreaksIt) {
  open();
  server.wire.resize(http2::kFrameHeaderBytes);
  http2::write_frame_header(
      {.length = 16'385, .type = FrameType::kData, .flags = 0, .stream_id = 1}, server.wire.data());
  expect_broken(ErrorCode::kFrameSizeError);
}

TEST_F(ClientSessionTest, InputAfterABreakIsIgnored) {
  open();
  server.frames.data(9, {}, true);
  expect_broken(ErrorCode::kProtocolError);
  server.frames.ping(1, false);
  EXPECT_TRUE(deliver().empty());
}

}  // namespace
}  // namespace perch::load
