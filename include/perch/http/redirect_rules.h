// Redirects by path: "/old" to "/new", "/blog/*" to "https://blog.example.com/*".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace perch::http {

struct RedirectRule {
  // A path, decoded; or with a last "/*", every path below it.
  std::string from;
  // A path with or without a query, or an http or https URL, ready to stand in Location. A last
  // "/*" is replaced by what the star of `from` stands for; without one all go to the same place.
  std::string to;
  int status = 308;  // 301, 302, 307 or 308 (RFC 9110 section 15.4)

  friend bool operator==(const RedirectRule&, const RedirectRule&) = default;
};

// What is wrong with a rule, or nothing. Among others a `to` that could become another host's:
// "//x", or a star that does not follow a "/".
std::optional<std::string> redirect_mistake(const RedirectRule& rule);

struct Redirection {
  std::string location;
  int status;
};

// By the first rule that `path` matches, a path as http::decode_path gives it. The query is kept
// where `to` has none of its own. REQUIRES: no rule has a mistake; `query` may stand in a URL.
std::optional<Redirection> find_redirect(std::span<const RedirectRule> rules, std::string_view path,
                                         std::string_view query);

}  // namespace perch::http
