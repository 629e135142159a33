// Http1Session: the client's side of one HTTP/1.1 connection that sends one GET at a time (RFC
// 9112).
//
// Sans-I/O: bytes in, answers out. Between requests it holds no buffer. Like ClientSession it is
// strict about what keeps requests and responses in step (status line, lengths, chunks) and lenient
// about the rest, because it is pointed at any server.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perch-load/answer.h"

namespace perch::load {

class Http1Session {
 public:
  // Appends `request`, a GET with its fields, to `out`. REQUIRES: !waiting(), !ending().
  void request(std::string_view request, std::vector<std::byte>& out);

  // Takes what the server sent. After an error of the server's, further input is ignored.
  void receive(std::span<const std::byte> input);
  // The server sends no more: a body without a length is complete.
  void receive_end();

  bool waiting() const { return waiting_; }  // a request has no answer yet
  // The answer that came since the last call.
  std::optional<Answer> take_answer();

  // Why the connection takes no more requests; empty: it does. Static text.
  std::string_view ending() const { return ending_; }
  bool broken() const { return broken_; }  // the server broke the protocol

  // What is allocated beside the object itself.
  std::size_t held_bytes() const { return line_.capacity() > kInline ? line_.capacity() : 0; }

 private:
  static constexpr std::size_t kInline = 15;  // what a std::string holds without an allocation

  enum class Part : std::uint8_t {
    kStatusLine,
    kFields,
    kBody,        // `remaining_` bytes
    kChunkSize,   // a line
    kChunk,       // `remaining_` bytes
    kChunkEnd,    // an empty line
    kTrailers,    // lines, up to an empty one
    kUntilClose,  // a body that the connection's end delimits
  };

  bool in_line() const {
    return part_ != Part::kBody && part_ != Part::kChunk && part_ != Part::kUntilClose;
  }
  std::span<const std::byte> take_line(std::span<const std::byte> input);
  void on_line(std::string_view line);
  void on_status_line(std::string_view line);
  void on_field(std::string_view line);
  void on_head_end();
  void on_chunk_size(std::string_view line);
  void finish();
  void fail(std::string_view what);

  std::string line_;  // the beginning of a line
  std::optional<Answer> answer_;
  Answer current_;
  std::optional<std::uint64_t> length_;
  std::uint64_t remaining_ = 0;
  std::size_t head_bytes_ = 0;
  std::string_view ending_;
  Part part_ = Part::kStatusLine;
  bool waiting_ = false;
  bool broken_ = false;
  bool chunked_ = false;
  bool closes_ = false;
};

}  // namespace perch::load
