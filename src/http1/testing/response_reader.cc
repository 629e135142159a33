#include "http1/testing/response_reader.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "perch/http/fields.h"

namespace perch::http1::testing {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view wire) : rest_(wire) {}

  bool at_end() const { return rest_.empty(); }
  const std::string& error() const { return error_; }

  std::optional<ReceivedResponse> read(bool head_request, bool ended) {
    ReceivedResponse response;
    const std::optional<std::string_view> status_line = line();
    if (!status_line.has_value() || status_line->size() < 13 ||
        !status_line->starts_with("HTTP/1.1 ") || (*status_line)[12] != ' ') {
      return wrong("status line");
    }
    const std::optional<std::size_t> status = number(status_line->substr(9, 3), 10);
    if (!status.has_value()) return wrong("status");
    response.status = static_cast<int>(*status);
    if (!fields(response.fields)) return std::nullopt;
    if (response.status < 200 || response.status == 204 || response.status == 304 || head_request) {
      if (!response.field("transfer-encoding").empty()) return wrong("coding without a body");
      response.complete = true;
      return response;
    }
    if (response.field("transfer-encoding") == "chunked") {
      if (!response.field("content-length").empty()) return wrong("both lengths");
      return chunked(response) ? std::optional(std::move(response)) : std::nullopt;
    }
    const std::optional<std::size_t> length = number(response.field("content-length"), 10);
    if (!length.has_value()) {
      if (response.field("connection") != "close") return wrong("no length");
      response.body = rest_;
      response.complete = ended;
      rest_ = {};
      return response;
    }
    response.body = rest_.substr(0, *length);
    response.complete = response.body.size() == *length;
    rest_.remove_prefix(response.body.size());
    return response;
  }

 private:
  std::nullopt_t wrong(std::string_view what) {
    error_ = std::string("malformed response: ").append(what);
    return std::nullopt;
  }
  static std::optional<std::size_t> number(std::string_view text, int base) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }
  std::optional<std::string_view> line() {
    const std::size_t end = rest_.find("\r\n");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view found = rest_.substr(0, end);
    rest_.remove_prefix(end + 2);
    return found;
  }
  bool fields(FieldLines& out) {
    while (true) {
      const std::optional<std::string_view> text = line();
      if (!text.has_value()) return wrong("end of fields"), false;
      if (text->empty()) break;
      const std::size_t colon = text->find(": ");
      if (colon == std::string_view::npos ||
          !http::valid_field(text->substr(0, colon), text->substr(colon + 2))) {
        return wrong("field"), false;
      }
      out.emplace_back(text->substr(0, colon), text->substr(colon + 2));
    }
    for (const std::string_view once : {"content-length", "transfer-encoding", "date"}) {
      if (std::ranges::count(out, once, &FieldLines::value_type::first) > 1) {
        return wrong("a field twice"), false;
      }
    }
    return true;
  }
  // False for a malformed one; incomplete where the bytes end early.
  bool chunked(ReceivedResponse& response) {
    while (true) {
      const std::optional<std::string_view> size_line = line();
      if (!size_line.has_value()) return true;
      const std::optional<std::size_t> size = number(*size_line, 16);
      if (!size.has_value()) return wrong("chunk size"), false;
      if (*size == 0) break;
      if (rest_.size() < *size + 2) {
        response.body.append(rest_.substr(0, *size));
        rest_ = {};
        return true;
      }
      response.body.append(rest_.substr(0, *size));
      if (rest_.substr(*size, 2) != "\r\n") return wrong("chunk end"), false;
      rest_.remove_prefix(*size + 2);
    }
    if (!fields(response.trailers)) return false;
    response.complete = true;
    return true;
  }

  std::string_view rest_;
  std::string error_;
};

}  // namespace

std::string ReceivedResponse::field(std::string_view name) const {
  for (const auto& [known, value] : fields) {
    if (known == name) return value;
  }
  return {};
}

std::vector<ReceivedResponse> read_responses(std::string_view wire,
                                             const std::vector<std::string>& methods, bool ended,
                                             std::string& error) {
  std::vector<ReceivedResponse> responses;
  Reader reader(wire);
  std::size_t answered = 0;
  while (!reader.at_end()) {
    const bool head_request = answered < methods.size() && methods[answered] == "HEAD";
    std::optional<ReceivedResponse> response = reader.read(head_request, ended);
    if (!response.has_value()) break;
    if (response->status >= 200) ++answered;
    responses.push_back(std::move(*response));
  }
  error = reader.error();
  return responses;
}

}  // namespace perch::http1::testing
