// Whatever a configuration file holds, it is read or refused with at least one mistake that names a
// place in it; and what was read stays within the documented ranges.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "perch/http/host_router.h"
#include "perch/http/path.h"
#include "perch/net/listen_url.h"
#include "perchd/config.h"
#include "perchd/units.h"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// What the server would refuse to start with is refused when it is read.
void require_good(const perch::perchd::Files& files) {
  for (const auto& rule : files.headers) require(!rule_mistake(rule));
  for (const auto& rule : files.redirects) require(!redirect_mistake(rule));
  for (const auto& [status, path] : files.error_pages) {
    require(status >= 400 && status <= 599 && !perch::http::file_path_mistake(path));
  }
  require(files.precompressed.size() <= 3);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perch::perchd;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_toml(text, "f");
  if (config) {
    require(config->workers <= 1024);
    require(!config->root.empty());
    require(!config->listen.empty());
    for (const auto& url : config->listen) require(perch::net::parse_listen_url(url).has_value());
    require(config->file_cache.largest_body <= config->file_cache.memory);
    require_good(config->files);
    for (const Host& host : config->hosts) {
      require_good(host.files);
      require(!host.names.empty());
      for (const auto& name : host.names) require(!perch::http::host_name_mistake(name));
    }
  } else {
    require(!config.error().empty());
    for (const ConfigError& error : config.error()) {
      require(error.where.starts_with("f:") && !error.what.empty() && !error.expected.empty());
    }
  }
  if (const auto duration = parse_duration(text)) {
    require(parse_duration(format_duration(*duration)) == duration);
  }
  if (const auto bytes = parse_size(text)) require(parse_size(format_size(*bytes)) == bytes);
  return 0;
}
