#include "perch/server/file_service.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "perch/base/check.h"
#include "perch/http/field_rules.h"
#include "perch/http/path.h"
#include "perch/http/redirect_rules.h"
#include "perch/task/worker.h"
#include "server/files/document_root.h"
#include "server/files/file_cache.h"

namespace perch::server {
namespace {

bool is_file_name(const std::string& name) {
  return name.find('/') == std::string::npos && !name.starts_with('.') &&
         name.find('\0') == std::string::npos;
}

// What is wrong with the options that are no files themselves, or nothing.
std::optional<std::string> mistake_in(const FileOptions& options) {
  if (!is_file_name(options.index))
    return "index \"" + options.index + "\": not the name of a file";
  for (const http::FieldRule& rule : options.field_rules) {
    if (auto mistake = rule_mistake(rule)) return "field rule " + rule.path + ": " + *mistake;
  }
  for (const http::RedirectRule& rule : options.redirects) {
    if (auto mistake = redirect_mistake(rule)) return "redirect: " + *mistake;
  }
  for (const ErrorPage& page : options.error_pages) {
    if (page.status < 400 || page.status > 599) {
      return "error page: " + std::to_string(page.status) + " is not the status of an error";
    }
    if (auto mistake = http::file_path_mistake(page.path)) return "error page: " + *mistake;
  }
  for (std::size_t i = 0; i < options.precompressed.size(); ++i) {
    const auto rest = std::span(options.precompressed).subspan(i + 1);
    const http::ContentCoding coding = options.precompressed[i];
    if (coding == http::ContentCoding::kIdentity || std::ranges::count(rest, coding) > 0) {
      return "precompressed: " + std::string(to_string(coding)) + " is identity or listed twice";
    }
  }
  if (!options.fallback.empty()) {
    if (auto mistake = http::file_path_mistake(options.fallback)) return "fallback: " + *mistake;
  }
  return options.hsts.empty() ? std::nullopt : http::hsts_mistake(options.hsts);
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
  if (const auto mistake = mistake_in(options)) {
    return std::unexpected(Error(ErrorCode::kInvalidArgument, *mistake));
  }
  Result<DocumentRoot> root = DocumentRoot::open(options.root, options.symlinks);
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
