#include "server/files/file_cache.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>

#include "perch/http/conditional.h"
#include "perch/http/path.h"

namespace perch::server {
namespace {

using Kind = FileEntry::Kind;
using http::Method;

// How often a small file is read again when it changes meanwhile.
constexpr int kReadAttempts = 3;

// Two writes within one tick of the file system's clock leave the same time (a tick was up to 10 ms
// before Linux 6.13). What has been at rest for longer cannot have changed unseen.
constexpr std::int64_t kSettledAfterNs = 20'000'000;

std::int64_t wall_clock_ns() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

// Names that begin with a dot, but for /.well-known/ itself (RFC 8615).
bool is_hidden(const std::string& decoded) {
  constexpr std::string_view kWellKnown = "/.well-known/";
  const std::size_t from = decoded.starts_with(kWellKnown) ? kWellKnown.size() - 1 : 0;
  return decoded.find("/.", from) != std::string::npos;
}

bool may_stand_in_location(std::string_view query) {
  return std::ranges::all_of(query, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
}

std::unexpected<OpenFailure> missing() { return std::unexpected(OpenFailure::kMissing); }

}  // namespace

FileCache::FileCache(const DocumentRoot& root, const FileOptions& options)
    : root_(root),
      options_(options),
      largest_body_(std::min(options.largest_cached_body, options.cached_body_bytes)),
      table_({.entries = options.cached_entries,
              .missing = options.cached_missing,
              .body_bytes = options.cached_body_bytes,
              .open_files = options.open_files}),
      buffers_(std::make_shared<StreamBuffers>()),
      method_not_allowed_(405, [] {
        http::Fields fields;
        fields.add("allow", "GET, HEAD");
        return fields;
      }()) {}

http::Response FileCache::answer(const http::Request& request, Instant now) {
  const Method method = request.method();
  if (method != Method::kGet && method != Method::kHead) return method_not_allowed_.to(method);
  if (FileEntry* entry = table_.find(request.path())) return answer_known(*entry, request, now);
  return answer_unknown(request, now);
}

http::Response FileCache::answer_unknown(const http::Request& request, Instant now) {
  const auto decoded = http::decode_path(request.path());
  if (!decoded) return bad_request_.to(request.method());
  std::string path = http::encode_path(*decoded);
  if (path != request.path()) {
    if (FileEntry* entry = table_.find(path)) return answer_known(*entry, request, now);
  }
  return load(std::move(path), *decoded, request, now);
}

http::Response FileCache::answer_known(FileEntry& entry, const http::Request& request,
                                       Instant now) {
  if (now - entry.checked >= options_.revalidate_after) return check(entry, request, now);
  if (entry.kind == Kind::kStreamed &&
      !same_content(identify(entry.file->descriptor.get()), entry.identity)) {
    return check(entry, request, now);  // rather than a stream that fails
  }
  table_.use(entry);
  return respond(entry, request);
}

// Looks whether the entry still holds, and replaces it if not.
http::Response FileCache::check(FileEntry& entry, const http::Request& request, Instant now) {
  const std::string decoded = *http::decode_path(entry.path);
  auto opened = open(decoded);
  const bool unknown = !opened && opened.error() != OpenFailure::kMissing;
  const bool same =
      opened ? (opened->type == FileType::kDirectory
                    ? entry.kind == Kind::kRedirect
                    : entry.holds_file() && entry.settled && opened->identity == entry.identity)
             : entry.kind == Kind::kMissing;
  if (same || unknown) {  // better stale than nothing, while the system has no answer
    entry.checked = now;
    table_.use(entry);
    return respond(entry, request);
  }
  std::string path = entry.path;
  table_.erase(entry);
  return keep(std::move(path), make_entry(decoded, std::move(opened)), request, now);
}

http::Response FileCache::load(std::string path, const std::string& decoded,
                               const http::Request& request, Instant now) {
  auto opened = open(decoded);
  if (!opened && opened.error() == OpenFailure::kNoDescriptors) {
    table_.erase_open_files();
    opened = open(decoded);
  }
  return keep(std::move(path), make_entry(decoded, std::move(opened)), request, now);
}

http::Response FileCache::keep(std::string path, Loaded loaded, const http::Request& request,
                               Instant now) {
  if (!loaded) return unavailable_.to(request.method());
  std::unique_ptr<FileEntry> entry = std::move(*loaded);
  http::Response response = respond(*entry, request);
  if (path.size() <= kLongestCachedPath) {
    entry->path = std::move(path);
    entry->checked = now;
    table_.insert(std::move(entry));
  }
  return response;
}

http::Response FileCache::respond(const FileEntry& entry, const http::Request& request) {
  const Method method = request.method();
  if (entry.kind == Kind::kMissing) return not_found_.to(method);
  if (entry.kind == Kind::kRedirect) return redirect(entry, request);

  switch (http::evaluate(method, request.fields(), entry.heads.validators(), std::time(nullptr))) {
    case http::Precondition::kNotModified:
      return http::Response(entry.heads.not_modified, {});
    case http::Precondition::kFailed:
      return precondition_failed_.to(method);
    case http::Precondition::kProceed:
      break;
  }
  if (method == Method::kHead) return http::Response(entry.heads.ok, {});
  if (entry.kind == Kind::kWhole) return http::Response(entry.heads.ok, entry.body);
  if (!buffers_->belong_here()) buffers_ = std::make_shared<StreamBuffers>();
  std::unique_ptr<http::BodySource> source = std::make_unique<FileSource>(entry.file, buffers_);
  return http::Response(entry.heads.ok, std::move(source));
}

http::Response FileCache::redirect(const FileEntry& entry, const http::Request& request) {
  const std::string_view query = request.query();
  if (query.empty() || !may_stand_in_location(query)) return http::Response(entry.heads.ok, {});
  std::string location(*entry.heads.ok->fields().get("location"));
  location.append("?").append(query);
  return http::Response(make_redirect_head(location), {});
}

std::string FileCache::file_name(const std::string& decoded) const {
  return decoded.ends_with('/') ? decoded.substr(1) + options_.index : decoded.substr(1);
}

std::expected<OpenedFile, OpenFailure> FileCache::open(const std::string& decoded) const {
  if (is_hidden(decoded)) return missing();
  const bool directory = decoded.ends_with('/');
  if (directory && options_.index.empty()) return missing();
  auto opened = root_.open_file(file_name(decoded));
  if (directory && opened && opened->type == FileType::kDirectory) return missing();
  return opened;
}

FileCache::Loaded FileCache::make_entry(const std::string& decoded,
                                        std::expected<OpenedFile, OpenFailure> opened) const {
  if (!opened && opened.error() != OpenFailure::kMissing) return std::unexpected(opened.error());
  if (opened && opened->type == FileType::kRegular) {
    return make_file_entry(file_name(decoded), std::move(*opened));
  }
  auto entry = std::make_unique<FileEntry>();
  entry->kind = opened ? Kind::kRedirect : Kind::kMissing;
  if (opened) entry->heads.ok = make_redirect_head(http::encode_path(decoded) + "/");
  return entry;
}

FileCache::Loaded FileCache::make_file_entry(const std::string& name, OpenedFile opened) const {
  auto entry = std::make_unique<FileEntry>();
  entry->kind = Kind::kStreamed;
  entry->identity = opened.identity;
  const int descriptor = opened.descriptor.get();
  const std::int64_t now_ns = wall_clock_ns();
  for (int attempt = 1; entry->identity.size <= static_cast<std::int64_t>(largest_body_);
       ++attempt) {
    if (auto body = read_file(descriptor, entry->identity)) {
      entry->kind = Kind::kWhole;
      entry->body = std::move(*body);
      entry->settled = now_ns - entry->identity.changed_ns > kSettledAfterNs;
      break;
    }
    if (attempt == kReadAttempts) return std::unexpected(OpenFailure::kFailed);
    entry->identity = identify(descriptor);
  }
  entry->heads = make_file_heads(name, entry->identity, now_ns / 1'000'000'000);
  if (entry->kind == Kind::kStreamed) {
    entry->file = std::make_shared<SharedFile>(std::move(opened.descriptor), entry->identity);
  }
  return entry;
}

}  // namespace perch::server
