#include "perch-load/request_blocks.h"

#include <algorithm>
#include <utility>

#include "perch/base/version.h"

namespace perch::load {

std::vector<RequestField> request_fields(FieldSet set, std::string authority, std::string path,
                                         std::string scheme) {
  std::vector<RequestField> fields = {{":method", "GET"},
                                      {":authority", std::move(authority)},
                                      {":scheme", std::move(scheme)},
                                      {":path", std::move(path)}};
  const auto add = [&](std::string_view name, std::string_view value) {
    fields.push_back({std::string(name), std::string(value)});
  };
  if (set == FieldSet::kBare) {
    add("user-agent", "perch-load/" + std::string(kVersion));
    add("accept", "*/*");
    return fields;
  }
  add("sec-ch-ua-platform", "\"Linux\"");
  add("user-agent",
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 "
      "Safari/537.36");
  add("sec-ch-ua", "\"Google Chrome\";v=\"131\", \"Chromium\";v=\"131\", \"Not_A Brand\";v=\"24\"");
  add("sec-ch-ua-mobile", "?0");
  add("accept", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8");
  add("sec-fetch-site", "same-origin");
  add("sec-fetch-mode", "no-cors");
  add("sec-fetch-dest", "image");
  add("accept-encoding", "gzip, deflate, br, zstd");
  add("accept-language", "en-US,en;q=0.9");
  add("priority", "u=2, i");
  return fields;
}

std::string request_text(const std::vector<RequestField>& fields) {
  const auto value_of = [&](std::string_view name) {
    return std::ranges::find(fields, name, &RequestField::name)->value;
  };
  std::string text = value_of(":method") + ' ' + value_of(":path") +
                     " HTTP/1.1\r\nHost: " + value_of(":authority") + "\r\n";
  for (const RequestField& field : fields) {
    if (!field.name.starts_with(':')) text += field.name + ": " + field.value + "\r\n";
  }
  return text + "\r\n";
}

RequestBlocks::Next RequestBlocks::next(State state, TableLimits limits) {
  // Beyond the encoder's own limit all announcements are alike.
  limits.smallest = std::min(limits.smallest, http2::kDefaultHeaderTableSize);
  limits.last = std::min(limits.last, http2::kDefaultHeaderTableSize);
  const auto key = std::pair(state, limits);
  if (const auto known = steps_.find(key); known != steps_.end()) {
    return {known->second.block, known->second.state};
  }

  http2::HpackEncoder encoder;
  std::vector<std::byte> block;
  for (const TableLimits& past : histories_[state]) {
    block.clear();
    encode(encoder, past, block);
  }
  const std::uint32_t revision = encoder.revision();
  const std::uint32_t table_size = encoder.table_size_in_force();
  block.clear();
  encode(encoder, limits, block);
  State after = state;
  if (encoder.revision() != revision || encoder.table_size_in_force() != table_size) {
    after = static_cast<State>(histories_.size());
    std::vector<TableLimits> history = histories_[state];
    history.push_back(limits);
    histories_.push_back(std::move(history));
  }
  const auto& step = steps_.emplace(key, Step{std::move(block), after}).first->second;
  return {step.block, step.state};
}

void RequestBlocks::encode(http2::HpackEncoder& encoder, TableLimits limits,
                           std::vector<std::byte>& out) const {
  encoder.set_peer_limit(limits.smallest);
  encoder.set_peer_limit(limits.last);
  encoder.begin_block(out);
  for (const RequestField& field : fields_) {
    encoder.encode(field.name, field.value, http2::HpackEncoder::Indexing::kIncremental, out);
  }
}

}  // namespace perch::load
