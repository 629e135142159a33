// The files that are served, which a reload replaces while requests go on.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "perch/http/router.h"
#include "perchd/site_service.h"

namespace perch::perchd {

// Readers are the workers: each loads one pointer and uses what it names within one turn of its
// loop, since the tasks of file services never wait. The writer, the main thread, exchanges the
// pointer and, before it destroys what was replaced, lets every worker end its turn
// (Server::synchronize). So a request costs one load of a cache line that nobody writes: no lock
// and no count. Bodies own the files that they send.
class CurrentSites {
 public:
  explicit CurrentSites(std::unique_ptr<SiteService> sites)
      : current_(new Generation(std::move(sites))) {}
  // REQUIRES: no worker runs any more.
  ~CurrentSites() { delete current_.load(std::memory_order_relaxed); }
  CurrentSites(const CurrentSites&) = delete;
  CurrentSites& operator=(const CurrentSites&) = delete;

  // For the server, on any worker; borrows this object.
  http::Handler handler() {
    return [this](http::Request request) {
      return current_.load(std::memory_order_acquire)->handler(std::move(request));
    };
  }

  // The next requests get `sites`. `synchronize` returns once no worker uses what there was before.
  template <class Synchronize>
  void replace(std::unique_ptr<SiteService> sites, const Synchronize& synchronize) {
    const std::unique_ptr<Generation> before(
        current_.exchange(new Generation(std::move(sites)), std::memory_order_acq_rel));
    synchronize();
  }

 private:
  struct Generation {
    explicit Generation(std::unique_ptr<SiteService> sites)
        : service(std::move(sites)), handler(service->handler()) {}
    std::unique_ptr<SiteService> service;
    http::Handler handler;
  };
  std::atomic<Generation*> current_;
};

}  // namespace perch::perchd
