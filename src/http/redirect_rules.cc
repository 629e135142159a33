#include "perch/http/redirect_rules.h"

#include <algorithm>

#include "perch/http/path.h"

namespace perch::http {
namespace {

constexpr std::string_view kRest = "/*";

bool may_stand_in_location(char c) {
  return c > ' ' && c < '\x7f' && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

// The part of a URL that follows its host; nothing where it is neither http nor https with a host.
std::optional<std::string_view> behind_host(std::string_view url) {
  for (const std::string_view scheme : {"https://", "http://"}) {
    if (!url.starts_with(scheme)) continue;
    const std::string_view rest = url.substr(scheme.size());
    const std::size_t host_end = std::min(rest.find_first_of("/?#"), rest.size());
    if (host_end == 0 || rest.substr(0, host_end).find('*') != std::string_view::npos) break;
    return rest.substr(host_end);
  }
  return std::nullopt;
}

// What `path` has behind the fixed part of `from`; nothing where it does not match.
std::optional<std::string_view> rest_of(std::string_view path, std::string_view from) {
  if (!from.ends_with(kRest)) {
    if (path != from) return std::nullopt;
    return std::string_view();
  }
  const std::string_view fixed = from.substr(0, from.size() - 1);
  if (!path.starts_with(fixed)) return std::nullopt;
  return path.substr(fixed.size());
}

// To another path of the same host that `from` matches too: a client would go round in circles.
bool leads_back(const RedirectRule& rule) {
  const std::string_view to(rule.to);
  if (!to.starts_with('/')) return false;
  const auto path = decode_path(to.substr(0, to.find_first_of("?#")));
  return path && rest_of(*path, rule.from);
}

}  // namespace

std::optional<std::string> redirect_mistake(const RedirectRule& rule) {
  const std::string& from = rule.from;
  const std::string& to = rule.to;
  const bool open_end = from.ends_with(kRest);
  if (!from.starts_with('/')) return "from \"" + from + "\" does not begin with \"/\"";
  if (from.find('*') != (open_end ? from.size() - 1 : from.npos)) {
    return "from \"" + from + "\" has a \"*\" that is not its last segment";
  }
  const std::string fixed = open_end ? from.substr(0, from.size() - 1) : from;
  if (decode_path(encode_path(fixed)) != fixed) {
    return "from \"" + from + "\" is a path that no request has";
  }

  if (to.starts_with("//") || (!to.starts_with('/') && !behind_host(to))) {
    return "to \"" + to + "\" is neither a path nor an http or https URL";
  }
  if (!std::ranges::all_of(to, may_stand_in_location)) {
    return "to \"" + to + "\" has a character that must be percent-encoded";
  }
  if (to.find('*') != (to.ends_with(kRest) ? to.size() - 1 : to.npos)) {
    return "to \"" + to + "\" has a \"*\" that is not its last segment";
  }
  if (to.ends_with(kRest) && !open_end) {
    return "to \"" + to + "\" has a \"*\", but from \"" + from + "\" has none";
  }
  if (leads_back(rule)) return "to \"" + to + "\" is redirected by the same rule again";
  const int status = rule.status;
  if (status != 301 && status != 302 && status != 307 && status != 308) {
    return "status " + std::to_string(status) + " is not one of 301, 302, 307, 308";
  }
  return std::nullopt;
}

std::optional<Redirection> find_redirect(std::span<const RedirectRule> rules, std::string_view path,
                                         std::string_view query) {
  for (const RedirectRule& rule : rules) {
    const auto rest = rest_of(path, rule.from);
    if (!rest) continue;
    Redirection found{rule.to, rule.status};
    if (found.location.ends_with(kRest)) {
      found.location.pop_back();
      // Without a leading "/", since a decoded path has no two in a row: it cannot name a host.
      found.location.append(encode_path(*rest));
    }
    const bool has_own = found.location.find_first_of("?#") != std::string::npos;
    if (!query.empty() && !has_own) found.location.append("?").append(query);
    return found;
  }
  return std::nullopt;
}

}  // namespace perch::http
