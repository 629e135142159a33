#include "perch/http/host_router.h"

#include <algorithm>
#include <array>
#include <utility>

#include "perch/base/ascii.h"

namespace perch::http {
namespace {

constexpr std::size_t kLongestHost = 255;  // RFC 1035 section 2.3.4
constexpr std::size_t kLongestLabel = 63;
constexpr std::string_view kWildcard = "*.";

// Without port and trailing dot.
std::string_view host_of(std::string_view authority) {
  if (authority.starts_with('[')) return authority.substr(0, authority.find(']') + 1);
  authority = authority.substr(0, authority.find(':'));
  if (authority.ends_with('.')) authority.remove_suffix(1);
  return authority;
}

// "_" is in no host name, and in many that are used all the same.
bool may_stand_in_host(char c) {
  c = to_lower(c);
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool may_stand_in_address(char c) {
  c = to_lower(c);
  return (c >= 'a' && c <= 'f') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

task::Task<Response> misdirected() { co_return Response::error(421); }

}  // namespace

std::optional<std::string> host_name_mistake(std::string_view name) {
  if (name.starts_with('[')) {
    const bool closed = name.size() > 2 && name.ends_with(']');
    if (!closed || !std::ranges::all_of(name.substr(1, name.size() - 2), may_stand_in_address)) {
      return "is not an IPv6 address in brackets";
    }
    return std::nullopt;
  }
  if (name.starts_with(kWildcard)) name.remove_prefix(kWildcard.size());
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) return "is empty";
  if (name.find('*') != std::string_view::npos) return "has a \"*\" that is not its first label";
  if (name.find(':') != std::string_view::npos) return "has a port";
  if (!std::ranges::all_of(name, may_stand_in_host)) return "has a character that no host has";
  if (name.size() > kLongestHost) return "is longer than 255 characters";
  for (;;) {
    const std::size_t dot = name.find('.');
    const std::size_t label = std::min(dot, name.size());
    if (label == 0) return "has an empty label";
    if (label > kLongestLabel) return "has a label of more than 63 characters";
    if (dot == std::string_view::npos) return std::nullopt;
    name.remove_prefix(dot + 1);
  }
}

Result<void> HostRouter::add(std::string_view name, Handler handler) {
  const auto wrong = [&](std::string_view why) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument,
                                 "host \"" + std::string(name) + "\" " + std::string(why)));
  };
  if (const auto mistake = host_name_mistake(name)) return wrong(*mistake);
  const bool wildcard = name.starts_with(kWildcard);
  std::string key = lowered(host_of(wildcard ? name.substr(kWildcard.size()) : name));
  if (!(wildcard ? below_ : exact_).emplace(std::move(key), std::move(handler)).second) {
    return wrong("is listed twice");
  }
  return {};
}

const Handler* HostRouter::find(std::string_view authority) const {
  const Handler* other = default_ ? &default_ : nullptr;
  const std::string_view given = host_of(authority);
  if (given.empty() || given.size() > kLongestHost) return other;
  std::array<char, kLongestHost> buffer;
  std::ranges::transform(given, buffer.begin(), to_lower);
  std::string_view host(buffer.data(), given.size());
  if (const auto found = exact_.find(host); found != exact_.end()) return &found->second;
  if (below_.empty()) return other;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.')) {
    host.remove_prefix(dot + 1);
    if (dot == 0) continue;  // "*" stands for a label, not for none
    if (const auto found = below_.find(host); found != below_.end()) return &found->second;
  }
  return other;
}

task::Task<Response> HostRouter::route(Request request) const {
  const Handler* handler = find(request.authority());
  return handler != nullptr ? (*handler)(std::move(request)) : misdirected();
}

}  // namespace perch::http
