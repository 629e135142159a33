// The owner of a session under test: answers each request as its path says, and notes what the
// session told it.
//
//     /            200 with "Hello, Perch\n" at once
//     /bytes/N     200 with N bytes at once
//     /stream/N    200 with N bytes from a BodySource, at most 1,000 a pull
//     /trailers/N  the same, then the trailers "x-checksum: N"
//     /head/N      one of some prepared heads, 13 bytes at once
//     /status/N    that status without a body
//     /echo        the request's body, once it has ended
//     /early       200 at once, while the request's body may be under way
//     /interim     100, then as /
//     /fail        a BodySource that gives 10 bytes, then fails
//     /hold        nothing, until the test answers
//     /refuse      reset with REFUSED_STREAM
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http2/testing/scripted_client.h"
#include "perch/http2/session.h"

namespace perch::http2::testing {

inline constexpr std::string_view kHello = "Hello, Perch\n";
std::string pattern(std::size_t size);  // a body of that size

class ScriptedOwner final : public http::ServerEvents {
 public:
  struct Request {
    StreamId stream = 0;
    std::string method;
    std::string target;
    std::string authority;
    FieldLines fields;
    std::string body;
    FieldLines trailers;
    bool ended = false;
    int closed = 0;
    ErrorCode reason = ErrorCode::kNoError;
    Stream* open = nullptr;  // until it is closed
    std::size_t held = 0;    // bytes of the body not yet given back
  };

  // Where false, the test calls `consume`.
  bool consume_at_once = true;

  void set_session(Session* session) { session_ = session; }
  // A restored session's; nothing may be open.
  std::vector<Request>& requests() { return requests_; }
  // REQUIRES: that stream came.
  Request& request(StreamId stream);
  bool knows(StreamId stream) const { return index_.contains(stream); }
  void respond(StreamId stream, http::Response response);
  void consume(StreamId stream, std::size_t bytes);
  int output_ready_calls() const { return output_ready_calls_; }
  // What the session did that it may not, or "": events of unknown or closed streams, a stream
  // closed twice.
  const std::string& violation() const { return violation_; }
  // A line per event, for comparisons.
  const std::string& log() const { return log_; }

  void on_request(http::ServerStream& opened, http::RequestHeadPtr head, bool end_stream) override;
  void on_body(http::ServerStream& of, std::span<const std::byte> data, bool end_stream) override;
  void on_trailers(http::ServerStream& of, http::Fields trailers) override;
  void on_stream_closed(http::ServerStream& closed, http::StreamEnd end) override;
  void on_output_ready() override { ++output_ready_calls_; }

 private:
  Request* find(Stream& stream, std::string_view event);
  void answer(Request& request);
  void ended(Request& request);

  Session* session_ = nullptr;
  std::vector<Request> requests_;
  std::map<StreamId, std::size_t> index_;
  std::string violation_;
  std::string log_;
  int output_ready_calls_ = 0;
};

// A body that gives `size` bytes of `pattern`, as fast as it is pulled or as `release` allows.
class ScriptedSource final : public http::BodySource {
 public:
  struct Control {
    std::size_t released = SIZE_MAX;  // bytes that may be given
    bool may_end = true;
    bool fails = false;  // instead of ending
    bool tells_last = false;
    bool tells_size = false;
    std::size_t largest_piece = 1000;
    ReadyHook* hook = nullptr;
    std::size_t given = 0;
    bool destroyed = false;
    void release(std::size_t bytes) {
      released = bytes;
      if (hook != nullptr) hook->on_body_ready();
    }
    void end() {
      may_end = true;
      if (hook != nullptr) hook->on_body_ready();
    }
  };
  ScriptedSource(std::size_t size, std::shared_ptr<Control> control, http::Fields trailers = {})
      : body_(pattern(size)), control_(std::move(control)), trailers_(std::move(trailers)) {}
  ~ScriptedSource() override { control_->destroyed = true; }
  http::PullResult pull(std::size_t max) override;
  bool at_end() const override;
  std::optional<std::uint64_t> size() const override;
  const http::Fields* trailers() const override { return trailers_.empty() ? nullptr : &trailers_; }
  void set_ready_hook(ReadyHook* hook) override { control_->hook = hook; }

 private:
  std::string body_;
  std::shared_ptr<Control> control_;
  http::Fields trailers_;
};

}  // namespace perch::http2::testing
