// Chooses a handler by the host that a request names (RFC 9110 section 7.2): virtual hosts.
//
// Names are "example.com", an address as in a URL ("127.0.0.1", "[::1]"), or "*.example.com", which
// stands for every name below it of any depth, but not for "example.com" itself. An exact name wins
// over a wildcard, and the longest wildcard wins. Case, the port and one trailing dot do not
// matter.
//
// Thread-safety: built by one thread, then read by all workers at once, as http::Router.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "perch/base/error.h"
#include "perch/http/router.h"

namespace perch::http {

// What is wrong with the name of a virtual host ("has an empty label"), or nothing.
std::optional<std::string> host_name_mistake(std::string_view name);

class HostRouter {
 public:
  // Error kInvalidArgument: a malformed name, or one that is taken.
  Result<void> add(std::string_view name, Handler handler);
  // Takes requests for other hosts, and those without one; without it they are 421 (Misdirected
  // Request).
  void set_default(Handler handler) { default_ = std::move(handler); }

  // The handler for an authority ("example.com:8080"); the default or null for others. Allocates
  // nothing.
  const Handler* find(std::string_view authority) const;
  // The task is not started.
  task::Task<Response> route(Request request) const;

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  using Handlers = std::unordered_map<std::string, Handler, Hash, std::equal_to<>>;

  Handlers exact_;
  Handlers below_;  // by what follows "*."
  Handler default_;
};

}  // namespace perch::http
