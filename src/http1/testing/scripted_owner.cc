#include "http1/testing/scripted_owner.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "perch/base/check.h"

namespace perch::http1::testing {
namespace {

std::size_t number_in(std::string_view path) {
  std::size_t value = 0;
  const std::string_view digits = path.substr(path.rfind('/') + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return std::min(value, std::size_t{1} << 20);
}

FieldLines copy(const http::Fields& fields) {
  FieldLines lines;
  for (const http::Field field : fields) lines.emplace_back(field.name, field.value);
  return lines;
}

http::Response hello() { return http::Response::bytes(Bytes::from_static(kHello), "text/plain"); }

http::Response prepared(std::size_t number) {
  static const auto heads = [] {
    std::array<std::shared_ptr<const http::PreparedHead>, 8> made;
    for (std::size_t i = 0; i < made.size(); ++i) {
      http::Fields fields;
      fields.add("content-type", i % 2 == 0 ? "text/html; charset=utf-8" : "text/css");
      if (i != 7) fields.add("content-length", "13");
      fields.add("etag", "\"" + std::string(1 + i * 100, 'e') + std::to_string(i) + "\"");
      made[i] = std::make_shared<const http::PreparedHead>(i == 5 ? 404 : 200, fields);
    }
    return made;
  }();
  return http::Response(heads[number % heads.size()], Bytes::from_static(kHello));
}

http::Response streamed(std::size_t size, PatternSource::Options options) {
  http::Response response(200);
  response.with("content-type", "text/plain");
  response.set_body(std::make_unique<PatternSource>(size, std::move(options)));
  return response;
}

}  // namespace

std::string pattern(std::size_t size) {
  std::string text(size, ' ');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + i % 26);
  return text;
}

http::PullResult PatternSource::pull(std::size_t max) {
  PERCH_CHECK(max > 0);
  const std::size_t size = std::min({max, std::size_t{1000}, body_.size() - given_});
  if (size == 0) {
    return {options_.fails ? http::PullResult::Kind::kFailed : http::PullResult::Kind::kEnd, {}};
  }
  Bytes data = Bytes::copy(std::string_view(body_).substr(given_, size));
  given_ += size;
  return {http::PullResult::Kind::kData, std::move(data), options_.tells_last && at_end()};
}

std::optional<std::uint64_t> PatternSource::size() const {
  if (!options_.tells_size) return std::nullopt;
  return body_.size();
}

void ScriptedOwner::respond(http::Response response) {
  Request& request = requests_.back();
  PERCH_CHECK(request.open != nullptr && !request.responded);
  request.responded = true;
  session_->respond(*request.open, std::move(response));
}

void ScriptedOwner::inform(int status) { session_->inform(*requests_.back().open, status); }

void ScriptedOwner::consume(std::size_t bytes) {
  requests_.back().held -= bytes;
  session_->consumed(*requests_.back().open, bytes);
}

ScriptedOwner::Request* ScriptedOwner::open(http::ServerStream& stream, std::string_view event) {
  if (has_open() && requests_.back().open == &stream) return &requests_.back();
  violation_ = std::string(event).append(" of a stream that is not open");
  return nullptr;
}

void ScriptedOwner::on_request(http::ServerStream& stream, http::RequestHeadPtr head,
                               bool end_stream) {
  if (has_open()) violation_ = "a request while another is open";
  if (stream.context != nullptr) violation_ = "a context that nobody set";
  stream.context = this;
  Request& request = requests_.emplace_back();
  request.method = head->method == http::Method::kOther
                       ? head->method_text
                       : std::string(http::to_string(head->method));
  request.target = head->target;
  request.authority = head->authority;
  request.fields = copy(head->fields);
  request.open = &stream;
  const std::string_view path = echo_all ? "/echo" : std::string_view(request.target);
  if (path == "/continue" && !end_stream) inform(100);
  if (path == "/early") {
    respond(hello());
  } else if (path == "/relay") {
    request.relay = std::make_shared<http::BodyPipe>(1 << 16);
    http::Response response(200);
    response.set_body(std::make_unique<PipeSource>(request.relay));
    respond(std::move(response));
  }
  if (end_stream) ended();
}

void ScriptedOwner::on_body(http::ServerStream& stream, std::span<const std::byte> data,
                            bool end_stream) {
  Request* request = open(stream, "a body");
  if (request == nullptr) return;
  if (request->ended) violation_ = "a body after its end";
  if (data.empty() && !end_stream) violation_ = "an empty piece of a body";
  request->body.append(as_text(data));
  request->held += data.size();
  if (request->relay != nullptr && !data.empty()) request->relay->push(Bytes::copy(data));
  if (consume_at_once && !data.empty()) consume(data.size());
  if (end_stream) ended();
}

void ScriptedOwner::on_trailers(http::ServerStream& stream, http::Fields trailers) {
  Request* request = open(stream, "trailers");
  if (request == nullptr) return;
  if (request->ended) violation_ = "trailers after the end";
  request->trailers = copy(trailers);
  ended();
}

void ScriptedOwner::on_stream_closed(http::ServerStream& stream, http::StreamEnd end) {
  Request* request = open(stream, "an end");
  if (request == nullptr) return;
  if (end == http::StreamEnd::kComplete && !request->responded) violation_ = "a response unasked";
  request->open = nullptr;
  request->held = 0;
  request->end = end;
  ++request->closed;
}

void ScriptedOwner::ended() {
  Request& request = requests_.back();
  request.ended = true;
  if (request.relay != nullptr) request.relay->finish();
  if (!request.responded) answer();
}

void ScriptedOwner::answer() {
  const Request& request = requests_.back();
  const std::string_view path = echo_all ? "/echo" : std::string_view(request.target);
  const std::size_t number = number_in(path);
  if (path == "/hold") return;
  if (path == "/" || path == "*") return respond(hello());
  if (path == "/close") return respond(hello().with("connection", "close"));
  if (path == "/echo" || path == "/continue") {
    std::string body = request.body;
    for (const auto& [name, value] : request.trailers) body += "[" + name + ": " + value + "]";
    return respond(http::Response::text(body));
  }
  if (path.starts_with("/bytes/")) return respond(http::Response::text(pattern(number)));
  if (path.starts_with("/stream/")) return respond(streamed(number, {}));
  if (path.starts_with("/sized/")) return respond(streamed(number, {.tells_size = true}));
  if (path.starts_with("/last/")) return respond(streamed(number, {.tells_last = true}));
  if (path.starts_with("/trailers/")) {
    http::Fields trailers;
    trailers.add("x-checksum", std::to_string(number));
    return respond(streamed(number, {.trailers = std::move(trailers)}));
  }
  if (path.starts_with("/head/")) return respond(prepared(number));
  if (path.starts_with("/status/")) return respond(http::Response(static_cast<int>(number)));
  if (path == "/fail") return respond(streamed(10, {.fails = true}));
  if (path == "/short") return respond(streamed(10, {}).with("content-length", "20"));
  respond(http::Response::error(404));
}

}  // namespace perch::http1::testing
