// The owner of a session under test: answers each request as its path says, and notes what the
// session told it.
//
//     /            200 with "Hello, Perch\n" at once
//     /echo        the request's body and its trailers, once it has ended
//     /continue    100, then as /echo
//     /early       200 at once, while the request's body may be under way
//     /relay       the request's body as it comes
//     /bytes/N     200 with N bytes at once
//     /stream/N    200 with N bytes from a source that does not know its size, at most 1,000 a pull
//     /sized/N     the same from one that does
//     /last/N      as /stream, and tells which piece is the last
//     /trailers/N  as /stream, then the trailers "x-checksum: N"
//     /head/N      one of some prepared heads, 13 bytes at once
//     /status/N    that status without a body
//     /close       as /, with "Connection: close"
//     /fail        a source that gives 10 bytes, then fails
//     /short       a source that gives 10 bytes of a declared 20
//     /hold        nothing, until the test answers
//     any other    404
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http1/testing/response_reader.h"
#include "perch/http/server_session.h"

namespace perch::http1::testing {

inline constexpr std::string_view kHello = "Hello, Perch\n";
std::string pattern(std::size_t size);  // a body of that size

class ScriptedOwner final : public http::ServerEvents {
 public:
  struct Request {
    std::string method;
    std::string target;
    std::string authority;
    FieldLines fields;
    std::string body;
    FieldLines trailers;
    bool ended = false;
    int closed = 0;
    http::StreamEnd end = http::StreamEnd::kComplete;
    http::ServerStream* open = nullptr;  // until it is closed
    bool responded = false;
    std::size_t held = 0;  // bytes of the body not yet given back
    std::shared_ptr<http::BodyPipe> relay;
  };

  // Where false, the test calls `consume`.
  bool consume_at_once = true;
  // All requests are answered as /echo is, whatever their target.
  bool echo_all = false;

  void set_session(http::ServerSession* session) { session_ = session; }
  const std::vector<Request>& requests() const { return requests_; }
  // REQUIRES for these: a request is open.
  void respond(http::Response response);
  void inform(int status);
  void consume(std::size_t bytes);
  bool has_open() const { return !requests_.empty() && requests_.back().open != nullptr; }
  int output_ready_calls() const { return output_ready_calls_; }
  // What the session did that it may not, or "".
  const std::string& violation() const { return violation_; }

  void on_request(http::ServerStream& stream, http::RequestHeadPtr head, bool end_stream) override;
  void on_body(http::ServerStream& stream, std::span<const std::byte> data,
               bool end_stream) override;
  void on_trailers(http::ServerStream& stream, http::Fields trailers) override;
  void on_stream_closed(http::ServerStream& stream, http::StreamEnd end) override;
  void on_output_ready() override { ++output_ready_calls_; }

 private:
  Request* open(http::ServerStream& stream, std::string_view event);
  void answer();
  void ended();

  http::ServerSession* session_ = nullptr;
  std::vector<Request> requests_;
  std::string violation_;
  int output_ready_calls_ = 0;
};

// `size` bytes of `pattern`, at most 1,000 a pull.
class PatternSource final : public http::BodySource {
 public:
  struct Options {
    bool tells_size = false;
    bool tells_last = false;
    bool fails = false;  // instead of ending
    http::Fields trailers = {};
  };
  PatternSource(std::size_t size, Options options)
      : body_(pattern(size)), options_(std::move(options)) {}
  http::PullResult pull(std::size_t max) override;
  bool at_end() const override { return given_ == body_.size() && !options_.fails; }
  std::optional<std::uint64_t> size() const override;
  const http::Fields* trailers() const override {
    return options_.trailers.empty() ? nullptr : &options_.trailers;
  }

 private:
  std::string body_;
  Options options_;
  std::size_t given_ = 0;
};

// A pipe as a response's body.
class PipeSource final : public http::BodySource {
 public:
  explicit PipeSource(std::shared_ptr<http::BodyPipe> pipe) : pipe_(std::move(pipe)) {}
  ~PipeSource() override { pipe_->set_ready_hook(nullptr); }
  http::PullResult pull(std::size_t max) override { return pipe_->pull(max); }
  bool at_end() const override { return pipe_->at_end(); }
  void set_ready_hook(ReadyHook* hook) override { pipe_->set_ready_hook(hook); }

 private:
  std::shared_ptr<http::BodyPipe> pipe_;
};

}  // namespace perch::http1::testing
