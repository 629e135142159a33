// Chooses a handler by method and path.
//
// Patterns: "/a/b" matches exactly; "{name}" matches one segment; a last "*" matches the rest. The
// more literal pattern wins segment by segment: literal before {name} before *. A path that matches
// only under other methods is answered 405 with Allow; HEAD is served by GET's handler where it has
// none of its own; OPTIONS is answered with Allow where nothing else takes it.
//
// Patterns are written decoded ("/a b"). A request's path is split at "/", repeated slashes and dot
// segments are removed, and each segment is percent-decoded: so a parameter is untrusted text that
// may hold any byte, even "/" (from "%2F"). A trailing slash matters: "/a/" is not "/a". "{name}"
// matches no empty segment; "*" matches an empty rest ("/a/*" takes "/a/").
//
// Thread-safety: built by one thread, then read by all workers at once; a handler is called on the
// worker of each connection, concurrently. The router outlives every task that it made.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "perch/base/error.h"
#include "perch/http/request.h"
#include "perch/http/response.h"

namespace perch::http {

using Handler = std::function<task::Task<Response>(Request)>;

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // Error kInvalidArgument: a malformed pattern, or one that is taken.
  Result<void> add(Method method, std::string_view pattern, Handler handler);
  // Takes what no pattern matches; 404 without one.
  void set_fallback(Handler handler);

  // The task is not started. Never fails: answers 404, 405 or a 400 of its own.
  task::Task<Response> route(Request request) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace perch::http
