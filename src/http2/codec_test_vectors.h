// The public test vectors, read in place: http2jp/hpack-test-case and http2jp/http2-frame-test-case
// under PERCH_SHARED_DATA. Empty lists where they are not there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "http2/codec_test_support.h"

namespace perch::http2::testing {

struct StoryBlock {
  std::optional<std::uint32_t> header_table_size;  // acknowledged just before the block
  Bytes wire;
  FieldList fields;
};
struct Story {
  std::string name;
  std::vector<StoryBlock> blocks;
};
std::vector<Story> load_hpack_stories();

struct FrameCase {
  std::string name;
  Bytes wire;
  std::vector<std::uint32_t> errors;  // empty: the frame is valid, and all below is set

  std::uint32_t length = 0;
  std::uint8_t type = 0;
  std::uint8_t flags = 0;
  std::uint32_t stream_id = 0;
  // The members of frame_payload that are numbers or text; null members are left out.
  std::vector<std::pair<std::string, std::uint32_t>> numbers;
  std::vector<std::pair<std::string, std::string>> texts;
  std::vector<std::pair<std::uint16_t, std::uint32_t>> settings;

  std::optional<std::uint32_t> number(std::string_view key) const {
    for (const auto& [name_of, value] : numbers) {
      if (name_of == key) return value;
    }
    return std::nullopt;
  }
  std::string text(std::string_view key) const {
    for (const auto& [name_of, value] : texts) {
      if (name_of == key) return value;
    }
    return {};
  }
};
std::vector<FrameCase> load_frame_cases();

inline constexpr const char* kNoVectors =
    "the public test vectors are not beside the source folder (PERCH_SHARED_DATA)";

}  // namespace perch::http2::testing
