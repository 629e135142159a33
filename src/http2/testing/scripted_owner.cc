#include "http2/testing/scripted_owner.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "perch/base/check.h"
#include "perch/http/method.h"

namespace perch::http2::testing {
namespace {

std::size_t number_in(std::string_view path) {
  std::size_t value = 0;
  const std::string_view digits = path.substr(path.rfind('/') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

FieldLines copy(const http::Fields& fields) {
  FieldLines lines;
  for (const http::Field field : fields) lines.emplace_back(field.name, field.value);
  return lines;
}

std::string text_of(const FieldLines& lines) {
  std::string text;
  for (const auto& [name, value] : lines) text += " " + name + "=" + value;
  return text;
}

http::Response hello() { return http::Response::bytes(Bytes::from_static(kHello), "text/plain"); }

http::Response prepared(std::size_t number) {
  static const auto heads = [] {
    std::array<std::shared_ptr<const http::PreparedHead>, 12> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      http::Fields fields;
      fields.add("content-type", i % 2 == 0 ? "text/html; charset=utf-8" : "text/css");
      fields.add("content-length", "13");
      fields.add("etag", "\"" + std::string(1 + i * 8, 'e') + std::to_string(i) + "\"");
      if (i % 3 == 0) fields.add("last-modified", "Mon, 30 Nov 2026 10:00:00 GMT");
      made[i] = std::make_shared<const http::PreparedHead>(i == 5 ? 404 : 200, fields);
    }
    return made;
  }();
  return http::Response(heads[number % heads.size()], Bytes::from_static(kHello));
}

http::Response streamed(std::size_t size, http::Fields trailers, bool fails) {
  auto control = std::make_shared<ScriptedSource::Control>();
  control->fails = fails;
  http::Response response(200);
  response.with("content-type", "text/plain");
  response.set_body(std::make_unique<ScriptedSource>(size, control, std::move(trailers)));
  return response;
}

}  // namespace

std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

http::PullResult ScriptedSource::pull(std::size_t max) {
  PERCH_CHECK(max > 0);
  const std::size_t end = std::min(body_.size(), control_->released);
  const std::size_t size = std::min({max, control_->largest_piece, end - control_->given});
  if (size == 0 && control_->given < body_.size()) return {http::PullResult::Kind::kBlocked, {}};
  if (size == 0 && !control_->may_end) return {http::PullResult::Kind::kBlocked, {}};
  if (size == 0) {
    return {control_->fails ? http::PullResult::Kind::kFailed : http::PullResult::Kind::kEnd, {}};
  }
  Bytes data = Bytes::copy(std::string_view(body_).substr(control_->given, size));
  control_->given += size;
  const bool last = control_->tells_last && control_->given == body_.size() && control_->may_end;
  return {http::PullResult::Kind::kData, std::move(data), last};
}

bool ScriptedSource::at_end() const {
  return control_->given == body_.size() && control_->may_end && !control_->fails;
}

std::optional<std::uint64_t> ScriptedSource::size() const {
  if (!control_->tells_size) return std::nullopt;
  return body_.size();
}

ScriptedOwner::Request& ScriptedOwner::request(StreamId stream) {
  return requests_[index_.at(stream)];
}

ScriptedOwner::Request* ScriptedOwner::find(Stream& stream, std::string_view event) {
  const auto found = index_.find(stream.id());
  if (found == index_.end() || requests_[found->second].open != &stream) {
    violation_ =
        std::string(event) + " of a stream that is not open: " + std::to_string(stream.id());
    return nullptr;
  }
  log_ += std::string(event) + " " + std::to_string(stream.id());
  return &requests_[found->second];
}

void ScriptedOwner::on_request(http::ServerStream& opened, http::RequestHeadPtr head,
                               bool end_stream) {
  auto& stream = static_cast<Stream&>(opened);
  if (index_.contains(stream.id())) violation_ = "a stream was opened twice";
  index_[stream.id()] = requests_.size();
  Request& request = requests_.emplace_back();
  request.stream = stream.id();
  request.method = head->method == http::Method::kOther
                       ? head->method_text
                       : std::string(http::to_string(head->method));
  request.target = head->target;
  request.authority = head->authority;
  request.fields = copy(head->fields);
  request.open = &stream;
  log_ += "request " + std::to_string(stream.id()) + " " + request.method + " " + request.target +
          text_of(request.fields) + (end_stream ? " ended\n" : "\n");
  if (request.target == "/early" || request.target == "/refuse") return answer(request);
  if (end_stream) ended(request);
}

void ScriptedOwner::on_body(http::ServerStream& of, std::span<const std::byte> data,
                            bool end_stream) {
  auto& stream = static_cast<Stream&>(of);
  Request* request = find(stream, "body");
  if (request == nullptr) return;
  if (data.empty() && !end_stream) violation_ = "an empty piece of a body";
  log_ += " " + std::to_string(data.size()) + (end_stream ? " ended\n" : "\n");
  request->body.append(as_text(data));
  request->held += data.size();
  if (consume_at_once) consume(stream.id(), data.size());
  if (end_stream) ended(*request);
}

void ScriptedOwner::on_trailers(http::ServerStream& of, http::Fields trailers) {
  auto& stream = static_cast<Stream&>(of);
  Request* request = find(stream, "trailers");
  if (request == nullptr) return;
  request->trailers = copy(trailers);
  log_ += text_of(request->trailers) + "\n";
  ended(*request);
}

void ScriptedOwner::on_stream_closed(http::ServerStream& closed, http::StreamEnd end) {
  auto& stream = static_cast<Stream&>(closed);
  const ErrorCode reason = stream.end_code();
  if ((reason == ErrorCode::kNoError) != (end == http::StreamEnd::kComplete)) {
    violation_ = "a stream ended complete with an error, or the other way round";
  }
  Request* request = find(stream, "closed");
  if (request == nullptr) return;
  log_ += " " + std::string(to_string(reason)) + "\n";
  ++request->closed;
  request->reason = reason;
  request->open = nullptr;
}

void ScriptedOwner::ended(Request& request) {
  if (request.ended) violation_ = "a request ended twice";
  request.ended = true;
  // A test or a fuzzer may have answered before the request was whole.
  if (request.target != "/early" && !request.open->responded()) answer(request);
}

void ScriptedOwner::respond(StreamId stream, http::Response response) {
  session_->respond(*request(stream).open, std::move(response));
}

void ScriptedOwner::consume(StreamId stream, std::size_t bytes) {
  Request& taken = request(stream);
  taken.held -= bytes;
  session_->consumed(*taken.open, bytes);
}

void ScriptedOwner::answer(Request& request) {
  const std::string_view path = request.target;
  const std::size_t size = number_in(path);
  Stream& stream = *request.open;
  if (path.starts_with("/bytes/")) {
    const std::string body = pattern(size);
    session_->respond(stream, http::Response::text(body));
  } else if (path.starts_with("/stream/")) {
    session_->respond(stream, streamed(size, {}, false));
  } else if (path.starts_with("/trailers/")) {
    http::Fields trailers;
    trailers.add("x-checksum", std::to_string(size));
    session_->respond(stream, streamed(size, std::move(trailers), false));
  } else if (path == "/fail") {
    session_->respond(stream, streamed(10, {}, true));
  } else if (path.starts_with("/head/")) {
    session_->respond(stream, prepared(size));
  } else if (path.starts_with("/status/")) {
    session_->respond(stream, http::Response(static_cast<int>(size)));
  } else if (path == "/echo") {
    session_->respond(stream, http::Response::text(request.body));
  } else if (path == "/refuse") {
    session_->reset(stream, ErrorCode::kRefusedStream);
  } else if (path != "/hold") {
    if (path == "/interim") session_->inform(stream, 100);
    session_->respond(stream, hello());
  }
}

}  // namespace perch::http2::testing
