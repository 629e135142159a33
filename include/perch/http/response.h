// A response as a handler makes it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "perch/http/body.h"
#include "perch/http/fields.h"

namespace perch::http {

// A head that many responses share: status and fields that never change. Protocol engines may keep
// its encoded form, found by `id`, which no other head of the process ever has.
class PreparedHead {
 public:
  PreparedHead(int status, Fields fields);

  int status() const { return status_; }
  const Fields& fields() const { return fields_; }
  std::uint64_t id() const { return id_; }

 private:
  Fields fields_;
  std::uint64_t id_;
  int status_;
};

// Writes a body piece by piece. The server keeps the callable alive until its task has ended, so a
// lambda may use its captures throughout.
using BodyProducer = std::move_only_function<task::Task<void>(BodyWriter)>;

class Response {
 public:
  using Body = std::variant<std::monostate, Bytes, std::unique_ptr<BodySource>, BodyProducer>;

  // REQUIRES: 200 <= status <= 599.
  explicit Response(int status = 200) : status_(status) {}
  // The prepared head as it is, or followed by what is added to fields().
  Response(std::shared_ptr<const PreparedHead> head, Body body)
      : prepared_(std::move(head)), body_(std::move(body)), status_(prepared_->status()) {}

  // Content-Type "text/plain; charset=utf-8".
  static Response text(std::string_view body, int status = 200);
  // Any type; shares the bytes.
  static Response bytes(Bytes body, std::string_view content_type, int status = 200);
  static Response stream(BodyProducer producer, std::string_view content_type);
  // A short text page that names the status ("404 Not Found").
  static Response error(int status, std::string_view detail = {});

  int status() const { return status_; }
  Fields& fields() { return fields_; }
  const Fields& fields() const { return fields_; }
  Response& with(std::string_view name, std::string_view value) & {
    fields_.add(name, value);
    return *this;
  }
  Response&& with(std::string_view name, std::string_view value) && {
    fields_.add(name, value);
    return std::move(*this);
  }
  const PreparedHead* prepared() const { return prepared_.get(); }
  const std::shared_ptr<const PreparedHead>& prepared_shared() const { return prepared_; }
  Body& body() { return body_; }
  void set_body(Body body) { body_ = std::move(body); }

 private:
  std::shared_ptr<const PreparedHead> prepared_;
  Fields fields_;
  Body body_;
  int status_;
};

// "Not Found" for 404; "" for a code that RFC 9110 and its registry do not name.
std::string_view reason_phrase(int status);

}  // namespace perch::http
