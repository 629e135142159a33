#include "server/access_entry.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace perch::server {
namespace {

// A body up to this size is one frame, sent as a whole or not at all.
constexpr std::size_t kOnePiece = 16 * 1024;

class CountingSource final : public http::BodySource, public memory::SlabAllocated {
 public:
  CountingSource(std::unique_ptr<http::BodySource> source, std::uint64_t& count)
      : source_(std::move(source)), count_(count) {}

  http::PullResult pull(std::size_t max) override {
    http::PullResult result = source_->pull(max);
    count_ += result.data.size();
    return result;
  }
  bool at_end() const override { return source_->at_end(); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }
  const http::Fields* trailers() const override { return source_->trailers(); }
  void set_ready_hook(ReadyHook* hook) override { source_->set_ready_hook(hook); }

 private:
  std::unique_ptr<http::BodySource> source_;
  std::uint64_t& count_;
};

class BytesSource final : public http::BodySource, public memory::SlabAllocated {
 public:
  explicit BytesSource(Bytes bytes) : size_(bytes.size()), rest_(std::move(bytes)) {}

  http::PullResult pull(std::size_t max) override {
    if (rest_.empty()) return {.kind = http::PullResult::Kind::kEnd, .data = {}};
    Bytes piece = rest_.take_front(std::min(max, rest_.size()));
    return {.kind = http::PullResult::Kind::kData, .data = std::move(piece), .last = rest_.empty()};
  }
  bool at_end() const override { return rest_.empty(); }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  std::uint64_t size_;
  Bytes rest_;
};

}  // namespace

AccessEntry::AccessEntry(const http::RequestHead& head, Instant now)
    : started_(now), head_request_(head.method == http::Method::kHead) {
  const std::string_view method =
      head.method == http::Method::kOther ? head.method_text : http::to_string(head.method);
  const std::string_view referer = head.fields.get("referer").value_or("");
  const std::string_view user_agent = head.fields.get("user-agent").value_or("");
  texts_.reserve(method.size() + head.target.size() + head.authority.size() + referer.size() +
                 user_agent.size());
  method_ = keep(method);
  target_ = keep(head.target);
  authority_ = keep(head.authority);
  referer_ = keep(referer);
  user_agent_ = keep(user_agent);
}

AccessEntry::Part AccessEntry::keep(std::string_view text) {
  const Part part{static_cast<std::uint32_t>(texts_.size()),
                  static_cast<std::uint32_t>(text.size())};
  texts_.append(text);
  return part;
}

void AccessEntry::responding(http::Response& response) {
  status_ = response.status();
  if (head_request_) return;
  std::unique_ptr<http::BodySource> source;
  if (auto* bytes = std::get_if<Bytes>(&response.body())) {
    if (bytes->size() <= kOnePiece) {
      whole_bytes_ = bytes->size();
      return;
    }
    source = std::make_unique<BytesSource>(std::move(*bytes));
  } else if (auto* given = std::get_if<std::unique_ptr<http::BodySource>>(&response.body())) {
    source = std::move(*given);
  }
  if (source == nullptr) return;
  response.set_body(std::make_unique<CountingSource>(std::move(source), body_bytes_));
}

AccessRecord AccessEntry::finish(http::StreamEnd end, Instant now) const {
  AccessRecord record;
  record.method = text(method_);
  record.target = text(target_);
  record.authority = text(authority_);
  record.status = status_;
  record.body_bytes = end == http::StreamEnd::kComplete ? body_bytes_ + whole_bytes_ : body_bytes_;
  record.duration = now - started_;
  record.referer = text(referer_);
  record.user_agent = text(user_agent_);
  record.end = end;
  return record;
}

}  // namespace perch::server
