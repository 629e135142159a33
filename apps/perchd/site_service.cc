#include "perchd/site_service.h"

#include <utility>

namespace perch::perchd {
namespace {

server::FileOptions file_options(const FileCache& cache, const std::string& root,
                                 const Files& files) {
  server::FileOptions options;
  options.root = root;
  options.index = files.index;
  options.cached_entries = cache.files;
  options.cached_body_bytes = cache.memory;
  options.largest_cached_body = cache.largest_body;
  options.open_files = cache.open_files;
  options.revalidate_after = cache.revalidate;
  options.symlinks =
      files.follow_symlinks ? server::SymlinkPolicy::kFollow : server::SymlinkPolicy::kNever;
  options.precompressed = files.precompressed;
  options.listing = files.listing;
  options.fallback = files.fallback;
  for (const auto& [status, path] : files.error_pages)
    options.error_pages.push_back({status, path});
  options.field_rules = files.headers;
  options.redirects = files.redirects;
  options.hsts = files.hsts;
  return options;
}

http::Handler handler_of(server::FileService& service) {
  return [&service](http::Request request) { return service.serve(std::move(request)); };
}

}  // namespace

Result<server::FileService*> SiteService::add(const Config& config, const std::string& root,
                                              const Files& files) {
  auto service = server::FileService::open(file_options(config.file_cache, root, files));
  if (!service) return std::unexpected(std::move(service.error()));
  services_.push_back(std::move(*service));
  return services_.back().get();
}

Result<std::unique_ptr<SiteService>> SiteService::open(const Config& config) {
  std::unique_ptr<SiteService> sites(new SiteService);
  auto first = sites->add(config, config.root, config.files);
  if (!first) return std::unexpected(std::move(first.error()));
  sites->hosts_.set_default(handler_of(**first));
  for (const Host& host : config.hosts) {
    auto service = sites->add(config, host.root.empty() ? config.root : host.root, host.files);
    if (!service) return std::unexpected(std::move(service.error()));
    for (const std::string& name : host.names) {
      auto added = sites->hosts_.add(name, handler_of(**service));
      if (!added) return std::unexpected(std::move(added.error()));
    }
  }
  return sites;
}

http::Handler SiteService::handler() const {
  if (services_.size() == 1) return handler_of(*services_.front());
  return [this](http::Request request) { return hosts_.route(std::move(request)); };
}

}  // namespace perch::perchd
