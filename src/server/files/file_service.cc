#include "perch/server/file_service.h"

#include <utility>
#include <vector>

#include "perch/base/check.h"
#include "perch/task/worker.h"
#include "server/files/document_root.h"
#include "server/files/file_cache.h"

namespace perch::server {
namespace {

bool is_file_name(const std::string& name) {
  return name.find('/') == std::string::npos && !name.starts_with('.') &&
         name.find('\0') == std::string::npos;
}

}  // namespace

// One slot for each worker that the process may have, filled by that worker alone.
struct FileService::Impl {
  Impl(FileOptions given, DocumentRoot opened)
      : options(std::move(given)), root(std::move(opened)), caches(task::state::kMaxWorkers) {}

  FileCache& cache(const task::Worker& worker) {
    std::unique_ptr<FileCache>& slot = caches[worker.id()];
    if (slot == nullptr) slot = std::make_unique<FileCache>(root, options);
    return *slot;
  }

  static task::Task<http::Response> respond(Impl& service, http::Request request) {
    const task::Worker* worker = task::Worker::current();
    PERCH_CHECK(worker != nullptr);
    co_return service.cache(*worker).answer(request, worker->now());
  }

  const FileOptions options;
  const DocumentRoot root;
  std::vector<std::unique_ptr<FileCache>> caches;
};

Result<std::unique_ptr<FileService>> FileService::open(FileOptions options) {
  if (!is_file_name(options.index)) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument,
                                 "index \"" + options.index + "\": not the name of a file"));
  }
  Result<DocumentRoot> root = DocumentRoot::open(options.root);
  if (!root) return std::unexpected(std::move(root.error()));
  auto impl = std::make_unique<Impl>(std::move(options), std::move(*root));
  return std::unique_ptr<FileService>(new FileService(std::move(impl)));
}

FileService::FileService(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileService::~FileService() = default;

task::Task<http::Response> FileService::serve(http::Request request) {
  return Impl::respond(*impl_, std::move(request));
}

}  // namespace perch::server
