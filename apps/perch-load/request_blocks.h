// The requests of all connections, encoded once.
//
// Every connection sends the same fields, so its encoder's table depends only on what it has sent
// so far and on the table limits that its server announced in between. RequestBlocks walks these
// states once and hands out the header blocks; a connection keeps one number instead of an encoder.
//
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "perch/http2/hpack.h"

namespace perch::load {

struct RequestField {
  std::string name;
  std::string value;
};

enum class FieldSet : std::uint8_t {
  kBare,     // what a command line client sends: 6 fields
  kBrowser,  // what Chrome sends for an image: 15 fields
};

// A GET, pseudo-header fields first.
std::vector<RequestField> request_fields(FieldSet set, std::string authority, std::string path,
                                         std::string scheme = "http");

// The same as a message of HTTP/1.1.
std::string request_text(const std::vector<RequestField>& fields);

// What a server announced as SETTINGS_HEADER_TABLE_SIZE since the last request. Both matter to the
// next block (RFC 7541 section 4.2).
struct TableLimits {
  std::uint32_t smallest = http2::kDefaultHeaderTableSize;
  std::uint32_t last = http2::kDefaultHeaderTableSize;

  void announce(std::uint32_t bytes) {
    if (bytes < smallest) smallest = bytes;
    last = bytes;
  }
  friend auto operator<=>(const TableLimits&, const TableLimits&) = default;
};

class RequestBlocks {
 public:
  using State = std::uint32_t;
  static constexpr State kFresh = 0;  // nothing sent yet

  explicit RequestBlocks(std::vector<RequestField> fields) : fields_(std::move(fields)) {}

  struct Next {
    std::span<const std::byte> block;  // as long as the RequestBlocks
    State state;
  };
  // The block to send in `state`, and the state after it.
  Next next(State state, TableLimits limits);

 private:
  struct Step {
    std::vector<std::byte> block;
    State state;
  };
  void encode(http2::HpackEncoder& encoder, TableLimits limits, std::vector<std::byte>& out) const;

  std::vector<RequestField> fields_;
  // How each state is reached from a fresh encoder.
  std::vector<std::vector<TableLimits>> histories_{1};
  std::map<std::pair<State, TableLimits>, Step> steps_;
};

}  // namespace perch::load
