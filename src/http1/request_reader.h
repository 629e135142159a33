// What a parsed head and parsed trailers mean: the checks that decide where a message ends, and
// those that RFC 9110 and 9112 ask of a server. Names come as they were received.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http1/refusal.h"
#include "perch/http/fields.h"
#include "perch/http/request.h"
#include "perch/http1/options.h"

namespace perch::http1 {

// Counts fields against their limits and lower-cases their names.
class FieldMeter {
 public:
  explicit FieldMeter(const SessionOptions& options) : options_(options) {}
  Refusal count(std::string_view name, std::string_view value);
  // Valid until the next call.
  std::string_view lower_case(std::string_view name);

 private:
  const SessionOptions& options_;
  std::size_t bytes_ = 0;
  std::size_t fields_ = 0;
  std::string long_name_;
  char name_[64];
};

class RequestReader {
 public:
  // Both are borrowed; the head is empty.
  RequestReader(const SessionOptions& options, http::RequestHead& head)
      : options_(options), head_(head), meter_(options) {}

  Refusal request_line(std::string_view method, std::string_view target, bool http11);
  Refusal field(std::string_view name, std::string_view value);
  Refusal finish();

  // After `finish`.
  bool http11() const { return http11_; }
  bool chunked() const { return transfer_encoding_; }
  bool keep_alive() const { return !close_ && (http11_ || keep_alive_); }
  bool expects_continue() const { return expects_continue_; }

 private:
  Refusal host(std::string_view value);
  Refusal content_length(std::string_view value);
  Refusal transfer_encoding(std::string_view value);
  void connection(std::string_view value);

  const SessionOptions& options_;
  http::RequestHead& head_;
  FieldMeter meter_;
  bool http11_ = false;
  bool has_host_ = false;
  bool transfer_encoding_ = false;
  bool close_ = false;
  bool keep_alive_ = false;
  bool expects_continue_ = false;
};

class TrailerReader {
 public:
  TrailerReader(const SessionOptions& options, http::Fields& trailers)
      : trailers_(trailers), meter_(options) {}
  Refusal field(std::string_view name, std::string_view value);

 private:
  http::Fields& trailers_;
  FieldMeter meter_;
};

}  // namespace perch::http1
