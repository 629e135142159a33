// A request as a handler sees it.
//
// Ownership: a Request owns its head and the reading end of its body, and is moved into the
// handler's coroutine. Views it hands out live as long as it does. It belongs to its connection's
// worker and must not be sent to another thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perch/http/body.h"
#include "perch/http/fields.h"
#include "perch/http/method.h"

namespace perch::http {

// What the control data and the field section say. Recycled: `clear` keeps capacity.
struct RequestHead {
  Method method = Method::kGet;
  std::string method_text;  // only for Method::kOther
  std::string scheme;
  std::string authority;  // :authority, or Host where the former is absent
  std::string target;     // path and query in origin-form, or "*"
  Fields fields;
  std::optional<std::uint64_t> content_length;

  void clear();
};

// Gives the head back to a bounded free list of the calling thread.
struct RecycleRequestHead {
  void operator()(RequestHead* head) const noexcept;
};
using RequestHeadPtr = std::unique_ptr<RequestHead, RecycleRequestHead>;

// An empty head, from the calling thread's free list where it has one.
RequestHeadPtr make_request_head();

class Request {
 public:
  explicit Request(RequestHeadPtr head, BodyReader body = {})
      : head_(std::move(head)), body_(std::move(body)) {}

  Method method() const { return head_->method; }
  std::string_view method_text() const;
  std::string_view scheme() const { return head_->scheme; }
  std::string_view authority() const { return head_->authority; }
  std::string_view target() const { return head_->target; }
  std::string_view path() const;   // the target up to "?", still percent-encoded
  std::string_view query() const;  // what follows "?", or ""
  const Fields& fields() const { return head_->fields; }
  std::optional<std::string_view> field(std::string_view name) const {
    return head_->fields.get(name);
  }
  std::optional<std::uint64_t> content_length() const { return head_->content_length; }

  BodyReader& body() { return body_; }

  // The part of the path that the route's "{name}" or "*" matched, percent-decoded; "" when the
  // route has none such.
  std::string_view parameter(std::string_view name) const;
  void set_parameter(std::string name, std::string value);

 private:
  RequestHeadPtr head_;
  BodyReader body_;
  std::vector<std::pair<std::string, std::string>> parameters_;
};

}  // namespace perch::http
