#include "http1/beast_parser.h"

#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include "perch/base/bytes.h"
#include "perch/base/check.h"

namespace perch::http1 {
namespace {

namespace beast = boost::beast;
using beast::error_code;

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

// What the parser tells of requests, with what no request has left out.
class Parser : public beast::http::basic_parser<true> {
 protected:
  // Stops the parser; the refusal is what counts.
  void check(const Refusal& refusal, error_code& error) {
    if (!refusal) return;
    refusal_ = refusal;
    error = beast::http::error::bad_value;
  }
  // What is wrong with a unit, if anything.
  Refusal outcome(bool accepted, std::string_view what) const {
    if (refusal_) return refusal_;
    return accepted ? Refusal() : Refusal{400, what};
  }

  void on_request_impl(beast::http::verb, beast::string_view, beast::string_view, int,
                       error_code&) override {}
  void on_response_impl(int, beast::string_view, int, error_code&) override {}
  void on_field_impl(beast::http::field, beast::string_view, beast::string_view,
                     error_code&) override {}
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(beast::string_view body, error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
    return body.size();
  }
  void on_finish_impl(error_code&) override {}

 private:
  Refusal refusal_;
};

class HeadParser final : public Parser {
 public:
  HeadParser(std::size_t limit, RequestReader& reader) : reader_(reader) {
    header_limit(static_cast<std::uint32_t>(limit));
    body_limit(boost::none);
  }
  Refusal parse(std::span<const std::byte> text) {
    error_code error;
    const std::size_t used = put(boost::asio::const_buffer(text.data(), text.size()), error);
    const bool accepted = !error && used == text.size() && is_header_done();
    if (Refusal refusal = outcome(accepted, "malformed request head")) return refusal;
    if (Refusal refusal = reader_.finish()) return refusal;
    return chunked() == reader_.chunked() ? Refusal() : Refusal{400, "unclear body length"};
  }

 private:
  void on_request_impl(beast::http::verb, beast::string_view method, beast::string_view target,
                       int version, error_code& error) override {
    check(reader_.request_line(view(method), view(target), version == 11), error);
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     error_code& error) override {
    check(reader_.field(view(name), view(value)), error);
  }

  RequestReader& reader_;
};

class Chunks final : public ChunkDecoder, private Parser {
 public:
  Chunks() {
    constexpr std::string_view kHead = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    body_limit(boost::none);
    PERCH_CHECK(take(as_bytes(kHead)) && chunked());
  }

  Refusal header(std::span<const std::byte> text, std::uint64_t& size,
                 TrailerReader& trailers) override {
    constexpr std::string_view kMalformed = "malformed chunk";
    if (is_done()) return {400, kMalformed};
    trailers_ = &trailers;
    headers_ = 0;
    const bool accepted = take(text);
    trailers_ = nullptr;
    size = size_;
    return outcome(accepted && headers_ == 1 && is_done() == (size_ == 0), kMalformed);
  }

  bool data(std::span<const std::byte> bytes) override { return !is_done() && take(bytes); }

 private:
  bool take(std::span<const std::byte> text) {
    error_code error;
    return put(boost::asio::const_buffer(text.data(), text.size()), error) == text.size() && !error;
  }
  void on_field_impl(beast::http::field, beast::string_view name, beast::string_view value,
                     error_code& error) override {
    if (trailers_ != nullptr) check(trailers_->field(view(name), view(value)), error);
  }
  void on_chunk_header_impl(std::uint64_t size, beast::string_view, error_code&) override {
    size_ = size;
    ++headers_;
  }

  TrailerReader* trailers_ = nullptr;
  std::uint64_t size_ = 0;
  int headers_ = 0;  // in the unit
};

}  // namespace

Refusal parse_head(std::span<const std::byte> text, std::size_t limit, RequestReader& reader) {
  return HeadParser(limit, reader).parse(text);
}

std::unique_ptr<ChunkDecoder> ChunkDecoder::make() { return std::make_unique<Chunks>(); }

}  // namespace perch::http1
