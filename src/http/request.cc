#include "perch/http/request.h"

#include <cstddef>
#include <utility>

namespace perch::http {
namespace {

// Heads kept for reuse, per thread, and the text that one may bring along.
constexpr std::size_t kMaxFreeHeads = 256;
constexpr std::size_t kMaxHeadBytes = 8 * 1024;

std::size_t text_capacity(const RequestHead& head) {
  return head.fields.capacity_bytes() + head.method_text.capacity() + head.scheme.capacity() +
         head.authority.capacity() + head.target.capacity();
}

class FreeHeads {
 public:
  FreeHeads() { heads_.reserve(kMaxFreeHeads); }
  ~FreeHeads();

  RequestHeadPtr take() {
    if (heads_.empty()) return RequestHeadPtr(new RequestHead);
    RequestHead* head = heads_.back().release();
    heads_.pop_back();
    return RequestHeadPtr(head);
  }
  void give(std::unique_ptr<RequestHead> head) {
    if (heads_.size() == kMaxFreeHeads || text_capacity(*head) > kMaxHeadBytes) return;
    head->clear();
    heads_.push_back(std::move(head));
  }

 private:
  std::vector<std::unique_ptr<RequestHead>> heads_;
};

// A head may be dropped after its thread's list: by another thread_local object, at thread exit.
thread_local bool list_is_gone = false;
thread_local FreeHeads free_heads;

FreeHeads::~FreeHeads() { list_is_gone = true; }

}  // namespace

void RequestHead::clear() {
  method = Method::kGet;
  method_text.clear();
  scheme.clear();
  authority.clear();
  target.clear();
  fields.clear();
  content_length.reset();
}

void RecycleRequestHead::operator()(RequestHead* head) const noexcept {
  std::unique_ptr<RequestHead> owned(head);
  if (!list_is_gone) free_heads.give(std::move(owned));
}

RequestHeadPtr make_request_head() {
  if (list_is_gone) return RequestHeadPtr(new RequestHead);
  return free_heads.take();
}

std::string_view Request::method_text() const {
  return method() == Method::kOther ? std::string_view(head_->method_text) : to_string(method());
}

std::string_view Request::path() const {
  const std::string_view all = target();
  return all.substr(0, all.find('?'));
}

std::string_view Request::query() const {
  const std::string_view all = target();
  const std::size_t mark = all.find('?');
  return mark == std::string_view::npos ? std::string_view() : all.substr(mark + 1);
}

std::string_view Request::parameter(std::string_view name) const {
  for (const auto& [known, value] : parameters_) {
    if (known == name) return value;
  }
  return {};
}

void Request::set_parameter(std::string name, std::string value) {
  for (auto& [known, old] : parameters_) {
    if (known == name) {
      old = std::move(value);
      return;
    }
  }
  parameters_.emplace_back(std::move(name), std::move(value));
}

}  // namespace perch::http
