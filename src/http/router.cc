#include "perch/http/router.h"

#include <exception>
#include <utility>

#include "http/route_trie.h"

namespace perch::http {
namespace {

task::Task<Response> answer(Response response) { co_return std::move(response); }

task::Task<Response> rethrow(std::exception_ptr exception) {
  std::rethrow_exception(std::move(exception));
  co_return Response(500);
}

// A handler that throws before it has made a task fails like one that throws within.
task::Task<Response> call(const Handler& handler, Request request) {
  try {
    return handler(std::move(request));
  } catch (...) {
    return rethrow(std::current_exception());
  }
}

}  // namespace

struct Router::Impl {
  RouteTrie routes;
  Handler fallback;
};

Router::Router() : impl_(std::make_unique<Impl>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<void> Router::add(Method method, std::string_view pattern, Handler handler) {
  return impl_->routes.add(method, pattern, std::move(handler));
}

void Router::set_fallback(Handler handler) { impl_->fallback = std::move(handler); }

task::Task<Response> Router::route(Request request) const {
  if (!impl_->routes.empty()) {
    const Method method = request.method();
    const auto segments = split_path(request.path());
    if (segments) {
      RouteMatch match = impl_->routes.match(method, *segments);
      if (match.entry != nullptr) {
        for (std::size_t i = 0; i < match.values.size(); ++i) {
          request.set_parameter(match.entry->parameters[i], std::move(match.values[i]));
        }
        return call(match.entry->handler, std::move(request));
      }
      if (!match.allowed.empty()) {
        Response response = method == Method::kOptions ? Response(204) : Response::error(405);
        response.with("allow", match.allowed.allow());
        return answer(std::move(response));
      }
    } else if (!impl_->fallback) {
      return answer(Response::error(400));
    }
  }
  if (impl_->fallback) return call(impl_->fallback, std::move(request));
  return answer(Response::error(404));
}

}  // namespace perch::http
