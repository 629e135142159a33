// Collects a decoded header block into a request's head or its trailers, and judges it: RFC 9113
// sections 8.1 to 8.3 and this server's limits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "perch/http/request.h"
#include "perch/http2/hpack.h"
#include "perch/http2/options.h"
#include "perch/memory/slab.h"

namespace perch::http2 {

class RequestBuilder final : public FieldSink, public memory::SlabAllocated {
 public:
  enum class Kind : std::uint8_t {
    kRequest,
    kTrailers,
    kDiscard,  // decoded only to keep the table in step
  };
  enum class Outcome : std::uint8_t { kComplete, kMalformed, kTooLarge };

  explicit RequestBuilder(const SessionOptions& options) : options_(options) {}

  void begin(Kind kind);
  void on_field(std::string_view name, std::string_view value, bool never_index) override;
  // After the last field. Once, per begin.
  Outcome finish();

  // So much was decoded that going on only serves an attack: even a discarded block costs work.
  bool hopeless() const { return list_bytes_ > std::size_t{4} * options_.header_bytes; }

  http::RequestHeadPtr take_head() { return std::move(head_); }
  http::Fields take_trailers() { return std::move(trailers_); }
  // Bytes of the decoded list, 32 a field on top.
  std::size_t list_bytes() const { return list_bytes_; }
  std::uint8_t urgency() const { return urgency_; }
  bool incremental() const { return incremental_; }

 private:
  void on_pseudo_field(std::string_view name, std::string_view value);
  void on_request_field(std::string_view name, std::string_view value, bool never_index);
  bool finish_request();
  void malformed() { malformed_ = true; }

  const SessionOptions& options_;
  http::RequestHeadPtr head_;
  http::Fields trailers_;
  std::string cookie_;
  std::size_t list_bytes_ = 0;
  std::uint32_t fields_ = 0;
  std::uint32_t crumbs_ = 0;
  Kind kind_ = Kind::kDiscard;
  std::uint8_t urgency_ = 3;
  bool incremental_ = false;
  bool malformed_ = false;
  bool too_large_ = false;
  bool regular_seen_ = false;
  bool has_method_ = false;
  bool has_scheme_ = false;
  bool has_authority_ = false;
  bool has_path_ = false;
  bool has_host_ = false;
};

// The Priority field's urgency and incremental parameters (RFC 9218 section 4); what does not parse
// leaves the values as they are.
void parse_priority_field(std::string_view text, std::uint8_t& urgency, bool& incremental);

}  // namespace perch::http2
