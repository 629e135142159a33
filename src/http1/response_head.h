// Response heads as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "perch/http/fields.h"
#include "perch/http/response.h"

namespace perch::http1 {

// What fields say that matters to the one who writes them.
struct FieldFacts {
  std::optional<std::uint64_t> length;
  bool valid = true;  // false: the fields must not be sent
  bool has_date = false;
  bool has_server = false;
  bool close = false;  // the handler wants the connection to end
};

void append_status_line(std::string& text, int status);
void append_field(std::string& text, std::string_view name, std::string_view value);
// A handler's fields, without those that are the connection's business. What a handler gives must
// not end a line or a head, and says the length once.
void append_fields(std::string& text, const http::Fields& fields, int status, FieldFacts& facts);

struct PreparedText {
  std::uint64_t head_id = 0;
  std::string text;  // status line and fields, without the empty line
  FieldFacts facts;
};

// From a small cache of the calling thread. Valid until the next call.
const PreparedText& prepared_text(const http::PreparedHead& head);

}  // namespace perch::http1
