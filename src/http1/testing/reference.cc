#include "http1/testing/reference.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace perch::http1::testing {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";
constexpr std::string_view kToken =
    "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kHostCharacters =
    "-._~!$&'()*+;=0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

enum class Verdict { kGood, kMore, kRefused };
using Field = std::pair<std::string, std::string>;

bool only(std::string_view text, std::string_view set) {
  return !text.empty() && text.find_first_not_of(set) == std::string_view::npos;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view strip(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::vector<std::string_view> elements(std::string_view list) {
  std::vector<std::string_view> all;
  while (true) {
    const std::size_t comma = list.find(',');
    all.push_back(strip(list.substr(0, comma)));
    if (comma == std::string_view::npos) return all;
    list.remove_prefix(comma + 1);
  }
}

bool printable(std::string_view text, bool blanks) {
  return std::ranges::all_of(text, [&](char c) {
    const auto u = static_cast<unsigned char>(c);
    return (u > 0x20 && u != 0x7f) || (blanks && (c == ' ' || c == '\t'));
  });
}

bool host_is_valid(std::string_view host) {
  std::string_view name = host;
  if (host.starts_with('[')) {
    const std::size_t close = host.find(']');
    if (close == std::string_view::npos) return false;
    if (!only(host.substr(1, close - 1), "0123456789abcdefABCDEF:.")) return false;
    name = "literal";
    host.remove_prefix(close + 1);
  } else {
    name = host.substr(0, host.find(':'));
    host.remove_prefix(name.size());
  }
  if (!host.empty() && (host[0] != ':' || host.size() > 6)) return false;
  if (host.size() > 1 && !only(host.substr(1), kDigits)) return false;
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != '%') {
      plain += name[i];
      continue;
    }
    if (i + 2 >= name.size() || !only(name.substr(i + 1, 2), kHexDigits)) return false;
    plain += 'x';
    i += 2;
  }
  return only(plain, kHostCharacters);
}

class Reference {
 public:
  explicit Reference(std::string_view input) : rest_(input) {}

  std::string run() {
    Verdict verdict = Verdict::kGood;
    while (verdict == Verdict::kGood) {
      if (rest_.starts_with("\r\n")) rest_.remove_prefix(2);
      if (rest_.empty()) return result("open");
      request_.clear();
      verdict = one_request();
      if (verdict == Verdict::kGood) {
        note(request_);
        statuses_ += " 200";
        if (!keep_alive_) return result("closed");
      }
    }
    if (!request_.empty()) note(request_ + (verdict == Verdict::kRefused ? "!" : ""));
    if (verdict == Verdict::kMore) return result("waiting");
    statuses_ += " refused";
    return result("closed");
  }

 private:
  void note(const std::string& request) { requests_ += (requests_.empty() ? "" : ", ") + request; }
  std::string result(std::string_view connection) const {
    return requests_ + (requests_.empty() ? "=>" : " =>") + statuses_ + " " +
           std::string(connection);
  }

  Verdict line(std::string_view& out) {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) return Verdict::kMore;
    if (end == 0 || rest_[end - 1] != '\r') return Verdict::kRefused;
    out = rest_.substr(0, end - 1);
    rest_.remove_prefix(end + 1);
    return Verdict::kGood;
  }

  // Lines that are no fields are found when all have come, so that the order of the checks does
  // not matter.
  Verdict fields(std::vector<Field>& out) {
    bool valid = true;
    while (true) {
      std::string_view text;
      if (const Verdict verdict = line(text); verdict != Verdict::kGood) return verdict;
      if (text.empty()) return valid ? Verdict::kGood : Verdict::kRefused;
      if (text[0] == ' ' || text[0] == '\t') return Verdict::kRefused;
      const std::size_t colon = std::min(text.find(':'), text.size());
      valid &= colon < text.size() && only(text.substr(0, colon), kToken);
      const std::string_view value = text.substr(std::min(colon + 1, text.size()));
      valid &= printable(value, true);
      out.emplace_back(lower(text.substr(0, colon)), strip(value));
    }
  }

  static bool target_is_valid(std::string_view method, std::string& target, bool& has_authority) {
    has_authority = false;
    if (!printable(target, false) || target.empty() || method == "CONNECT") return false;
    if (target == "*") return method == "OPTIONS";
    if (target[0] != '/') {
      if (lower(target.substr(0, 7)) != "http://") return false;
      const std::size_t path = std::min(target.find_first_of("/?", 7), target.size());
      if (!host_is_valid(target.substr(7, path - 7))) return false;
      has_authority = true;
      target = target.substr(path);
      if (target.empty()) target = method == "OPTIONS" ? "*" : "/";
      if (target[0] == '?') target = "/" + target;
    }
    return target.find('#') == std::string::npos;
  }

  Verdict one_request() {
    std::string_view text;
    if (const Verdict verdict = line(text); verdict != Verdict::kGood) return verdict;
    const std::size_t first = text.find(' ');
    const std::size_t last = text.rfind(' ');
    if (first == last || first == 0) return Verdict::kRefused;
    const std::string_view version = text.substr(last + 1);
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return Verdict::kRefused;
    const bool http11 = version == "HTTP/1.1";
    const std::string_view method = text.substr(0, first);
    if (method.size() > 32) return Verdict::kRefused;
    std::string target(text.substr(first + 1, last - first - 1));

    std::vector<Field> all;
    if (const Verdict verdict = fields(all); verdict != Verdict::kGood) return verdict;
    bool has_authority = false;
    if (!only(method, kToken) || !target_is_valid(method, target, has_authority)) {
      return Verdict::kRefused;
    }
    std::vector<std::string> hosts;
    std::vector<std::string> lengths;
    std::vector<std::string> codings;
    bool close = false;
    bool keep = false;
    for (const auto& [name, value] : all) {
      if (name == "host") hosts.push_back(value);
      if (name == "content-length") lengths.push_back(value);
      if (name == "transfer-encoding") codings.push_back(lower(value));
      if (name == "expect" && http11 && lower(value) != "100-continue") return Verdict::kRefused;
      if (name != "connection" && name != "proxy-connection") continue;
      for (const std::string_view option : elements(value)) {
        if (!option.empty() && !only(option, kToken)) return Verdict::kRefused;
        close |= name == "connection" && lower(option) == "close";
        keep |= name == "connection" && lower(option) == "keep-alive";
      }
    }
    if (hosts.size() > 1 || (http11 && hosts.empty())) return Verdict::kRefused;
    if (!hosts.empty() && !host_is_valid(hosts[0])) return Verdict::kRefused;
    if (lengths.size() + codings.size() > 1) return Verdict::kRefused;
    if (!codings.empty() && (!http11 || codings[0] != "chunked")) return Verdict::kRefused;
    if (!lengths.empty() && !only(lengths[0], kDigits)) return Verdict::kRefused;
    keep_alive_ = !close && (http11 || keep);

    request_ = std::string(method) + " " + target;
    if (!codings.empty()) return chunks();
    if (lengths.empty()) return Verdict::kGood;
    std::size_t length = 0;
    for (const char c : lengths[0]) {
      if (length > (SIZE_MAX - 9) / 10) {
        request_.clear();
        return Verdict::kRefused;
      }
      length = length * 10 + static_cast<std::size_t>(c - '0');
    }
    return body(length, "=");
  }

  Verdict body(std::size_t size, std::string_view before) {
    const std::string_view data = rest_.substr(0, size);
    if (!data.empty()) request_.append(before).append(data);
    rest_.remove_prefix(data.size());
    return data.size() == size ? Verdict::kGood : Verdict::kMore;
  }

  // The place behind chunk extensions, or nothing.
  static std::optional<std::size_t> skip_extensions(std::string_view text, std::size_t at) {
    const auto blanks = [&] {
      while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    };
    const auto token = [&] {
      const std::size_t start = at;
      while (at < text.size() && kToken.contains(text[at])) ++at;
      return at > start;
    };
    while (at < text.size()) {
      blanks();
      if (at == text.size() || text[at] != ';') return std::nullopt;
      ++at;
      blanks();
      if (!token()) return std::nullopt;
      const std::size_t name_end = at;
      blanks();
      if (at == text.size()) return name_end == at ? std::optional(at) : std::nullopt;
      if (text[at] != '=') continue;
      ++at;
      blanks();
      if (at < text.size() && text[at] == '"') {
        do {
          at += text[at] == '\\' ? 2 : 1;
        } while (at < text.size() && text[at] != '"');
        if (at >= text.size()) return std::nullopt;
        ++at;
      } else if (!token()) {
        return std::nullopt;
      }
    }
    return at;
  }

  Verdict chunks() {
    bool first = true;
    while (true) {
      std::string_view text;
      if (const Verdict verdict = line(text); verdict != Verdict::kGood) return verdict;
      const std::size_t digits = std::min(text.find_first_not_of(kHexDigits), text.size());
      if (digits == 0 || digits > 16 || !printable(text, true)) return Verdict::kRefused;
      const bool valid = skip_extensions(text, digits).has_value();
      std::size_t size = 0;
      for (const char c : text.substr(0, digits)) {
        size = size * 16 + std::min(kHexDigits.find(c), kHexDigits.find(lower({&c, 1})));
      }
      if (size == 0) {
        std::vector<Field> trailers;
        if (const Verdict verdict = fields(trailers); verdict != Verdict::kGood) return verdict;
        return valid ? end_with(trailers) : Verdict::kRefused;
      }
      if (!valid) return Verdict::kRefused;
      if (const Verdict verdict = body(size, first ? "=" : ""); verdict != Verdict::kGood) {
        return verdict;
      }
      first = false;
      // What must be CRLF is known by its second byte.
      if (rest_.size() >= 2 && !rest_.starts_with("\r\n")) return Verdict::kRefused;
      if (rest_.starts_with('\n')) return Verdict::kRefused;
      if (rest_.size() < 2) return Verdict::kMore;
      rest_.remove_prefix(2);
    }
  }

  Verdict end_with(const std::vector<Field>& trailers) {
    for (const auto& [name, value] : trailers) {
      if (name == "host" || name == "content-length" || name == "transfer-encoding") {
        return Verdict::kRefused;
      }
      if (name != "connection" && name != "proxy-connection") continue;
      for (const std::string_view option : elements(value)) {
        if (!option.empty() && !only(option, kToken)) return Verdict::kRefused;
      }
    }
    for (const auto& [name, value] : trailers) request_ += "+" + name + ":" + value;
    return Verdict::kGood;
  }

  std::string_view rest_;
  std::string requests_;
  std::string request_;
  std::string statuses_;
  bool keep_alive_ = true;
};

}  // namespace

std::string reference_summary(std::string_view input) { return Reference(input).run(); }

std::string without_status(std::string summary) {
  constexpr std::string_view kEnd = " closed";
  if (!summary.ends_with(kEnd)) return summary;
  const std::size_t at = summary.size() - kEnd.size() - 3;
  const std::string status = summary.substr(at, 3);
  if (status >= "400" && status <= "599" && status != "404") summary.replace(at, 3, "refused");
  return summary;
}

}  // namespace perch::http1::testing
