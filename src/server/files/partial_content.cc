#include "server/files/partial_content.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace perch::server {
namespace {

using http::ByteRange;

// Not to be guessed, so that no file can be made to hold it.
std::string make_boundary() {
  static const std::uint64_t seed = [] {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
  }();
  static std::atomic<std::uint64_t> count{0};
  std::mt19937_64 random(seed ^ (count.fetch_add(1, std::memory_order_relaxed) << 20));
  constexpr std::string_view kAlphabet = "0123456789abcdef";
  std::string boundary;
  for (int word = 0; word < 2; ++word) {
    std::uint64_t bits = random();
    for (int digit = 0; digit < 16; ++digit, bits >>= 4) boundary.push_back(kAlphabet[bits & 15]);
  }
  return boundary;
}

// The text around the parts. The first delimiter has no line end before it: there is no preamble.
class Delimiters {
 public:
  Delimiters(std::string_view content_type, std::uint64_t file_size)
      : boundary_(make_boundary()), content_type_(content_type), file_size_(file_size) {}

  const std::string& boundary() const { return boundary_; }
  std::string before(const ByteRange& part, bool first) const {
    std::string text = first ? "--" : "\r\n--";
    text.append(boundary_).append("\r\n");
    if (!content_type_.empty()) text.append("content-type: ").append(content_type_).append("\r\n");
    text.append("content-range: ").append(http::content_range(part, file_size_));
    return text.append("\r\n\r\n");
  }
  std::string after_all() const { return "\r\n--" + boundary_ + "--\r\n"; }

 private:
  std::string boundary_;
  std::string content_type_;
  std::uint64_t file_size_;
};

// One part after the other, each behind its delimiter.
class MultipartSource final : public http::BodySource {
 public:
  MultipartSource(const Representation& form, Delimiters delimiters,
                  std::span<const ByteRange> parts, std::shared_ptr<StreamBuffers> buffers)
      : delimiters_(std::move(delimiters)),
        parts_(parts.begin(), parts.end()),
        body_(form.body),
        file_(form.file),
        buffers_(std::move(buffers)) {
    size_ = delimiters_.after_all().size();
    for (const ByteRange& part : parts_) {
      size_ += delimiters_.before(part, &part == parts_.data()).size() + part.size();
    }
    begin_part();
  }

  http::PullResult pull(std::size_t max) override {
    using Kind = http::PullResult::Kind;
    if (!text_.empty()) return text_piece(max);
    if (next_ > parts_.size()) return {Kind::kEnd, {}, false};
    http::PullResult pulled = part_piece(max);
    if (pulled.kind != Kind::kData) return pulled;
    if (std::exchange(pulled.last, false)) begin_part();
    return pulled;
  }
  std::optional<std::uint64_t> size() const override { return size_; }

 private:
  // Lays the next delimiter out, and opens the part behind it.
  void begin_part() {
    source_.reset();
    if (next_ < parts_.size()) {
      const ByteRange& part = parts_[next_];
      text_ = Bytes::copy(delimiters_.before(part, next_ == 0));
      if (file_ != nullptr) {
        source_ = std::make_unique<FileSource>(file_, buffers_, part);
      } else {
        piece_ = body_.slice(part.first, part.size());
      }
    } else {
      text_ = Bytes::copy(delimiters_.after_all());
    }
    ++next_;
  }

  http::PullResult text_piece(std::size_t max) {
    Bytes piece = text_.take_front(std::min(max, text_.size()));
    const bool last = text_.empty() && next_ > parts_.size();
    return {http::PullResult::Kind::kData, std::move(piece), last};
  }

  http::PullResult part_piece(std::size_t max) {
    if (source_ != nullptr) return source_->pull(max);
    Bytes piece = piece_.take_front(std::min(max, piece_.size()));
    return {http::PullResult::Kind::kData, std::move(piece), piece_.empty()};
  }

  Delimiters delimiters_;
  std::vector<ByteRange> parts_;
  Bytes body_;
  std::shared_ptr<const SharedFile> file_;
  std::shared_ptr<StreamBuffers> buffers_;
  std::uint64_t size_ = 0;
  std::size_t next_ = 0;  // index of the part that begin_part opens next; beyond all at the end
  Bytes text_;            // of the delimiter, still to be sent
  Bytes piece_;           // of the part, where the body is in memory
  std::unique_ptr<FileSource> source_;  // of the part, where it is not
};

}  // namespace

http::Response partial_content(const Representation& form, const http::PreparedHead& head,
                               const http::RangeRequest& asked,
                               std::shared_ptr<StreamBuffers> buffers) {
  const auto file_size = static_cast<std::uint64_t>(form.identity.size);
  http::Response response(206);
  http::Fields& fields = response.fields();
  fields = head.fields();
  if (asked.ranges().size() == 1) {
    const ByteRange part = asked.ranges().front();
    fields.set("content-length", std::to_string(part.size()));
    fields.add("content-range", http::content_range(part, file_size));
    if (form.file == nullptr) {
      response.set_body(form.body.slice(part.first, part.size()));
    } else {
      response.set_body(std::make_unique<FileSource>(form.file, std::move(buffers), part));
    }
    return response;
  }
  Delimiters delimiters(fields.get("content-type").value_or(""), file_size);
  fields.set("content-type", "multipart/byteranges; boundary=" + delimiters.boundary());
  auto source = std::make_unique<MultipartSource>(form, std::move(delimiters), asked.ranges(),
                                                  std::move(buffers));
  fields.set("content-length", std::to_string(*source->size()));
  response.set_body(std::move(source));
  return response;
}

}  // namespace perch::server
