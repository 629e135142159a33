#include "http/route_trie.h"

#include <algorithm>
#include <array>

#include "perch/http/path.h"

namespace perch::http {
namespace {

Error bad_pattern(std::string_view pattern, std::string_view what) {
  return {ErrorCode::kInvalidArgument,
          std::string("route \"").append(pattern).append("\": ").append(what)};
}

bool is_parameter(std::string_view segment) {
  return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

// What is wrong with a segment, or "".
std::string_view complaint(std::string_view segment, bool last) {
  if (segment.empty()) return last ? "" : "has an empty segment";
  if (segment == "*") return last ? "" : "has \"*\" before its end";
  if (segment == "." || segment == "..") return "has a dot segment";
  const std::string_view inner =
      is_parameter(segment) ? segment.substr(1, segment.size() - 2) : segment;
  if (inner.find_first_of("{}*") != std::string_view::npos) {
    return "has \"{\", \"}\" or \"*\" within a segment";
  }
  if (inner.find_first_of("?#") != std::string_view::npos) return "has a query or a fragment";
  return "";
}

}  // namespace

std::string MethodSet::allow() const {
  constexpr std::array kListed = {Method::kGet,     Method::kHead,   Method::kPost,
                                  Method::kPut,     Method::kDelete, Method::kConnect,
                                  Method::kOptions, Method::kTrace,  Method::kPatch};
  std::string value;
  for (Method method : kListed) {
    const bool served = contains(method) || method == Method::kOptions ||
                        (method == Method::kHead && contains(Method::kGet));
    if (!served) continue;
    if (!value.empty()) value.append(", ");
    value.append(to_string(method));
  }
  return value;
}

const Route::Entry* Route::find(Method method) const {
  auto entry = std::ranges::find(entries, method, &Entry::method);
  if (entry == entries.end() && method == Method::kHead) {
    entry = std::ranges::find(entries, Method::kGet, &Entry::method);
  }
  return entry == entries.end() ? nullptr : &*entry;
}

MethodSet Route::methods() const {
  MethodSet all;
  for (const Entry& entry : entries) all.add(entry.method);
  return all;
}

std::optional<std::vector<std::string>> split_path(std::string_view path) {
  if (!path.starts_with('/')) return std::nullopt;
  std::vector<std::string> segments;
  bool slash_at_end = true;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view raw = path.substr(0, path.find('/'));
    path.remove_prefix(raw.size());
    auto segment = percent_decode(raw);
    if (!segment) return std::nullopt;
    slash_at_end = segment->empty() || *segment == "." || *segment == "..";
    if (*segment == "..") {
      if (segments.empty()) return std::nullopt;
      segments.pop_back();
    } else if (!slash_at_end) {
      segments.push_back(std::move(*segment));
    }
  }
  if (slash_at_end) segments.emplace_back();
  return segments;
}

Result<void> RouteTrie::add(Method method, std::string_view pattern, Handler handler) {
  if (!pattern.starts_with('/')) {
    return std::unexpected(bad_pattern(pattern, "does not begin with \"/\""));
  }
  if (!handler) return std::unexpected(bad_pattern(pattern, "has no handler"));
  // All is checked before the tree is changed.
  std::vector<std::string_view> segments;
  std::vector<std::string> parameters;
  for (std::string_view left = pattern; !left.empty();) {
    left.remove_prefix(1);
    const std::string_view segment = left.substr(0, left.find('/'));
    left.remove_prefix(segment.size());
    if (const auto wrong = complaint(segment, left.empty()); !wrong.empty()) {
      return std::unexpected(bad_pattern(pattern, wrong));
    }
    segments.push_back(segment);
    if (segment == "*") parameters.emplace_back(segment);
    if (!is_parameter(segment)) continue;
    std::string name(segment.substr(1, segment.size() - 2));
    if (std::ranges::find(parameters, name) != parameters.end()) {
      return std::unexpected(bad_pattern(pattern, "uses one parameter name twice"));
    }
    parameters.push_back(std::move(name));
  }

  Node* node = &root_;
  Route* route = nullptr;
  for (std::string_view segment : segments) {
    if (segment == "*") {
      route = &node->rest;
      break;
    }
    auto& child = is_parameter(segment) ? node->parameter : node->literals[std::string(segment)];
    if (child == nullptr) child = std::make_unique<Node>();
    node = child.get();
  }
  if (route == nullptr) route = &node->exact;
  if (route->methods().contains(method)) {
    return std::unexpected(bad_pattern(pattern, "is taken for that method"));
  }
  route->entries.push_back({method, std::move(handler), std::move(parameters)});
  empty_ = false;
  return {};
}

// Depth first, the more literal branch first. A node lies under one parent, so none is visited
// twice: the cost is bounded by the number of patterns, whatever the path.
class RouteTrie::Search {
 public:
  Search(Method method, const std::vector<std::string>& segments, RouteMatch& result)
      : method_(method), segments_(segments), result_(result) {}

  bool visit(const Node& node, std::size_t depth) {
    if (depth == segments_.size()) return take(node.exact, depth, false);
    const std::string& segment = segments_[depth];
    if (const auto literal = node.literals.find(segment); literal != node.literals.end()) {
      if (visit(*literal->second, depth + 1)) return true;
    }
    if (node.parameter != nullptr && !segment.empty()) {
      parameters_.push_back(depth);
      if (visit(*node.parameter, depth + 1)) return true;
      parameters_.pop_back();
    }
    return take(node.rest, depth, true);
  }

 private:
  bool take(const Route& route, std::size_t depth, bool with_rest) {
    const Route::Entry* entry = route.find(method_);
    if (entry == nullptr) {
      result_.allowed.add(route.methods());
      return false;
    }
    result_.entry = entry;
    for (std::size_t at : parameters_) result_.values.push_back(segments_[at]);
    if (with_rest) {
      std::string rest = segments_[depth];
      for (std::size_t i = depth + 1; i < segments_.size(); ++i) {
        rest.append("/").append(segments_[i]);
      }
      result_.values.push_back(std::move(rest));
    }
    return true;
  }

  Method method_;
  const std::vector<std::string>& segments_;
  RouteMatch& result_;
  std::vector<std::size_t> parameters_;  // depths
};

RouteMatch RouteTrie::match(Method method, const std::vector<std::string>& segments) const {
  RouteMatch result;
  Search(method, segments, result).visit(root_, 0);
  return result;
}

}  // namespace perch::http
