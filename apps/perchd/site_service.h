// The files of all hosts, ready to be served.
#pragma once

#include <memory>
#include <vector>

#include "perch/base/error.h"
#include "perch/http/host_router.h"
#include "perch/server/file_service.h"
#include "perchd/config.h"

namespace perch::perchd {

// Thread-safety: as server::FileService, which it holds one of for each host.
class SiteService {
 public:
  // Errors: as server::FileService::open, for the first host that fails.
  static Result<std::unique_ptr<SiteService>> open(const Config& config);

  // Borrows the service: it outlives the handler and every task that it made.
  http::Handler handler() const;

 private:
  SiteService() = default;
  Result<server::FileService*> add(const Config& config, const std::string& root,
                                   const Files& files);

  std::vector<std::unique_ptr<server::FileService>> services_;  // the default host's first
  http::HostRouter hosts_;
};

}  // namespace perch::perchd
