#include "http1/target.h"

#include <algorithm>

#include "http1/text.h"

namespace perch::http1 {
namespace {

constexpr std::string_view kVersionPattern = "HTTP/d.d";

bool is_version(std::string_view text) {
  return std::ranges::equal(text, kVersionPattern, [](char c, char pattern) {
    return pattern == 'd' ? is_digit(c) : c == pattern;
  });
}

bool valid_path(std::string_view path) {
  return !path.empty() && path.front() == '/' && std::ranges::all_of(path, [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f && c != '#';
  });
}

bool valid_ip_literal(std::string_view text) {
  return text.size() > 1 &&
         std::ranges::all_of(text, [](char c) { return is_hex_digit(c) || c == ':' || c == '.'; });
}

bool valid_host_name(std::string_view host) {
  constexpr std::string_view kSymbols = "-._~!$&'()*+;=";
  for (std::size_t i = 0; i < host.size(); ++i) {
    const char c = host[i];
    if (is_alpha(c) || is_digit(c) || kSymbols.contains(c)) continue;
    if (c != '%' || i + 2 >= host.size() || !is_hex_digit(host[i + 1]) ||
        !is_hex_digit(host[i + 2])) {
      return false;
    }
    i += 2;
  }
  return !host.empty();
}

Refusal read_absolute(std::string_view rest, std::string_view target_scheme,
                      std::string_view scheme, http::RequestHead& head) {
  // RFC 9110 section 7.4: not served by a connection that is not secured.
  if (target_scheme == "https" && scheme != "https") return {421, "https target without TLS"};
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  const std::string_view authority = rest.substr(0, end);
  if (!valid_authority(authority)) return {400, "invalid authority in the target"};
  rest.remove_prefix(end);
  head.authority = authority;
  if (rest.empty()) {
    head.target = head.method == http::Method::kOptions ? "*" : "/";
    return {};
  }
  head.target.assign(rest.front() == '?' ? "/" : "").append(rest);
  return valid_path(head.target) ? Refusal() : Refusal{400, "invalid target"};
}

}  // namespace

Refusal check_request_line(std::string_view line, std::size_t target_bytes) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == 0 || last == first) {
    return {400, "malformed request line"};
  }
  const std::string_view version = line.substr(last + 1);
  if (!is_version(version)) return {400, "malformed request line"};
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return {505, "HTTP version not supported"};
  if (first > kMethodBytes) return {501, "method too long"};
  if (last - first - 1 > target_bytes) return {414, "target too long"};
  return {};
}

Refusal read_target(std::string_view target, std::string_view scheme, http::RequestHead& head) {
  if (head.method == http::Method::kConnect) return {501, "CONNECT"};
  head.scheme = scheme;
  if (target.front() == '/') {
    head.target = target;
    return valid_path(target) ? Refusal() : Refusal{400, "invalid target"};
  }
  if (target == "*") {
    head.target = target;
    return head.method == http::Method::kOptions ? Refusal() : Refusal{400, "invalid target"};
  }
  for (const std::string_view known : {"http", "https"}) {
    if (equal_ignoring_case(target.substr(0, known.size()), known) &&
        target.substr(known.size()).starts_with("://")) {
      return read_absolute(target.substr(known.size() + 3), known, scheme, head);
    }
  }
  return {400, "invalid target"};
}

bool valid_authority(std::string_view authority) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    if (close == std::string_view::npos || !valid_ip_literal(authority.substr(1, close - 1))) {
      return false;
    }
    port = authority.substr(close + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    if (!valid_host_name(authority.substr(0, colon))) return false;
    port = authority.substr(colon);
  }
  // RFC 3986 allows a colon without digits.
  return port.empty() ||
         (port.front() == ':' && port.size() <= 6 && std::ranges::all_of(port.substr(1), is_digit));
}

}  // namespace perch::http1
