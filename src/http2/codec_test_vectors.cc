#include "http2/codec_test_vectors.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

namespace perch::http2::testing {
namespace {

using nlohmann::json;

std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string short_name(const std::filesystem::path& path) {
  return path.parent_path().filename().string() + "/" + path.stem().string();
}

StoryBlock read_block(const json& in) {
  StoryBlock block;
  if (in.contains("header_table_size")) block.header_table_size = in["header_table_size"];
  block.wire = from_hex(in["wire"].get<std::string>());
  for (const json& field : in["headers"]) {
    const auto item = field.items().begin();
    block.fields.push_back({item.key(), item.value(), false});
  }
  return block;
}

FrameCase read_frame(const json& in) {
  FrameCase frame;
  frame.wire = from_hex(in["wire"].get<std::string>());
  if (!in["error"].is_null()) frame.errors = in["error"].get<std::vector<std::uint32_t>>();
  if (in["frame"].is_null()) return frame;
  frame.length = in["frame"]["length"];
  frame.type = in["frame"]["type"];
  frame.flags = in["frame"]["flags"];
  frame.stream_id = in["frame"]["stream_identifier"];
  for (const auto& [key, value] : in["frame"]["frame_payload"].items()) {
    if (key == "settings") {
      for (const json& pair : value) frame.settings.emplace_back(pair[0], pair[1]);
    } else if (value.is_number()) {
      frame.numbers.emplace_back(key, value);
    } else if (value.is_boolean()) {
      frame.numbers.emplace_back(key, value.get<bool>() ? 1 : 0);
    } else if (value.is_string()) {
      frame.texts.emplace_back(key, value);
    }
  }
  return frame;
}

}  // namespace

std::vector<Story> load_hpack_stories() {
  std::vector<Story> stories;
  for (const auto& path : json_files(std::filesystem::path(PERCH_SHARED_DATA) / "hpack")) {
    const json in = json::parse(std::ifstream(path));
    Story story{.name = short_name(path), .blocks = {}};
    for (const json& block : in["cases"]) story.blocks.push_back(read_block(block));
    stories.push_back(std::move(story));
  }
  return stories;
}

std::vector<FrameCase> load_frame_cases() {
  std::vector<FrameCase> cases;
  for (const auto& path : json_files(std::filesystem::path(PERCH_SHARED_DATA) / "http2-frames")) {
    cases.push_back(read_frame(json::parse(std::ifstream(path))));
    cases.back().name = short_name(path);
  }
  return cases;
}

}  // namespace perch::http2::testing
