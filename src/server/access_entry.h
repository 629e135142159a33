// What the access log will be told about a request, gathered while it is served. There is none
// while nobody listens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "perch/base/clock.h"
#include "perch/http/request.h"
#include "perch/http/response.h"
#include "perch/memory/slab.h"
#include "perch/server/access_record.h"

namespace perch::server {

class AccessEntry final : public memory::SlabAllocated {
 public:
  AccessEntry(const http::RequestHead& head, Instant now);

  // Before the response goes to the engine. A body of some size becomes one that counts what is
  // taken of it, so the entry must live as long as the engine may pull: until the stream ends.
  void responding(http::Response& response);

  // The record, apart from what the connection knows. It refers to the entry.
  AccessRecord finish(http::StreamEnd end, Instant now) const;

 private:
  // One buffer for all the texts of the request.
  struct Part {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  Part keep(std::string_view text);
  std::string_view text(Part part) const {
    return std::string_view(texts_).substr(part.offset, part.size);
  }

  Instant started_;
  std::string texts_;
  Part method_, target_, authority_, referer_, user_agent_;
  std::uint64_t body_bytes_ = 0;   // taken so far, by a counting body
  std::uint64_t whole_bytes_ = 0;  // of a body that goes out in one piece
  int status_ = 0;
  bool head_request_;
};

}  // namespace perch::server
