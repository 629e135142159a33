// The patterns of a Router as a tree of path segments. Internal to the layer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perch/base/error.h"
#include "perch/http/router.h"

namespace perch::http {

// A set of methods.
class MethodSet {
 public:
  void add(Method method) { bits_ |= bit(method); }
  void add(MethodSet other) { bits_ |= other.bits_; }
  bool contains(Method method) const { return (bits_ & bit(method)) != 0; }
  bool empty() const { return bits_ == 0; }
  // As the value of Allow: what is served, which includes HEAD with GET, and OPTIONS.
  std::string allow() const;

 private:
  static std::uint32_t bit(Method method) { return 1u << static_cast<unsigned>(method); }
  std::uint32_t bits_ = 0;
};

// What one pattern serves.
struct Route {
  struct Entry {
    Method method;
    Handler handler;
    std::vector<std::string> parameters;  // names, in the order of the pattern
  };
  std::vector<Entry> entries;

  // HEAD falls back to GET.
  const Entry* find(Method method) const;
  MethodSet methods() const;
};

struct RouteMatch {
  const Route::Entry* entry = nullptr;
  std::vector<std::string> values;  // of entry->parameters
  MethodSet allowed;                // without an entry: of the patterns that match
};

// A path cut into decoded segments; "/a/" ends with an empty one. Nothing where it is malformed.
std::optional<std::vector<std::string>> split_path(std::string_view path);

class RouteTrie {
 public:
  Result<void> add(Method method, std::string_view pattern, Handler handler);
  bool empty() const { return empty_; }
  RouteMatch match(Method method, const std::vector<std::string>& segments) const;

 private:
  struct Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
    std::unique_ptr<Node> parameter;
    Route exact;  // the path ends here
    Route rest;   // "*" from here
  };
  class Search;

  Node root_;
  bool empty_ = true;
};

}  // namespace perch::http
