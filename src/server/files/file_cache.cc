#include "server/files/file_cache.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include "perch/http/conditional.h"
#include "perch/http/content_coding.h"
#include "perch/http/field_rules.h"
#include "perch/http/path.h"
#include "perch/http/range.h"
#include "server/files/partial_content.h"

namespace perch::server {
namespace {

using Kind = FileEntry::Kind;
using http::Method;

bool reads(Method method) { return method == Method::kGet || method == Method::kHead; }

bool over_https(const http::Request& request) { return request.scheme() == "https"; }

// The request's query, as far as it may stand in a Location.
std::string_view safe_query(const http::Request& request) {
  const std::string_view query = request.query();
  const bool safe =
      std::ranges::all_of(query, [](char c) { return c > ' ' && c < '\x7f' && c != '#'; });
  return safe ? query : std::string_view();
}

// A stream of a file that changed would fail: better to look again first.
bool has_changed(const Representation& form) {
  return form.file != nullptr &&
         !same_content(identify(form.file->descriptor.get()), form.identity);
}

bool has_changed(const FileEntry& entry) {
  if (entry.kind == Kind::kStreamed && has_changed(static_cast<const Representation&>(entry))) {
    return true;
  }
  return std::ranges::any_of(entry.siblings, [](const Sibling& sibling) {
    return sibling.form != nullptr && has_changed(*sibling.form);
  });
}

// The form that the request's Accept-Encoding asks for.
const Representation& choose_form(const FileEntry& entry, const http::Request& request) {
  if (!entry.negotiated) return entry;
  std::array<http::ContentCoding, 3> available;
  std::size_t count = 0;
  for (const Sibling& sibling : entry.siblings) {
    if (sibling.form != nullptr) available[count++] = sibling.coding;
  }
  const http::ContentCoding coding =
      http::AcceptedCodings(request.fields()).choose(std::span(available).first(count));
  for (const Sibling& sibling : entry.siblings) {
    if (sibling.form != nullptr && sibling.coding == coding) return *sibling.form;
  }
  return entry;
}

// A rule that sends clients from http to https matches their next request as well: that is where
// they were sent, and is served.
bool names_itself(const http::Redirection& to, const http::Request& request) {
  std::string_view location = to.location;
  for (const std::string_view part :
       {request.scheme(), std::string_view("://"), request.authority()}) {
    if (!location.starts_with(part)) return false;
    location.remove_prefix(part.size());
  }
  return location.substr(0, location.find_first_of("?#")) == request.path();
}

}  // namespace

FileCache::FileCache(const DocumentRoot& root, const FileOptions& options)
    : options_(options),
      heads_(options),
      loader_(root, options, heads_),
      table_({.entries = options.cached_entries,
              .missing = options.cached_missing,
              .body_bytes = options.cached_body_bytes,
              .open_files = options.open_files}),
      buffers_(StreamBuffers::of_this_thread()),
      errors_(loader_, options, heads_),
      always_rules_(std::ranges::any_of(options.field_rules, &http::FieldRule::always)),
      redirects_by_url_(std::ranges::any_of(options.redirects, [](const http::RedirectRule& rule) {
        return !rule.to.starts_with('/');
      })) {
  if (!options.fallback.empty()) fallback_.emplace(loader_, options, options.fallback, "accept");
}

http::Response FileCache::answer(const http::Request& request, Instant now) {
  // What is known was not redirected when it was loaded; but a rule to a URL may serve what is
  // asked for by that URL, and redirect what is not.
  if (reads(request.method()) && !redirects_by_url_) {
    if (FileEntry* entry = table_.find(request.path())) return answer_known(*entry, request, now);
  }
  return answer_unknown(request, now);
}

http::Response FileCache::answer_unknown(const http::Request& request, Instant now) {
  const bool served = reads(request.method());
  if (!served && options_.redirects.empty()) return error(405, request, now);
  const auto decoded = http::decode_path(request.path());
  if (decoded) {
    const auto found = http::find_redirect(options_.redirects, *decoded, safe_query(request));
    if (found && !names_itself(*found, request)) return redirect(*found, *decoded, request);
  }
  if (!served) return error(405, request, now);
  if (!decoded) return error(400, request, now);
  std::string path = http::encode_path(*decoded);
  if (path != request.path() || redirects_by_url_) {
    if (FileEntry* entry = table_.find(path)) return answer_known(*entry, request, now);
  }
  return load(std::move(path), *decoded, request, now);
}

http::Response FileCache::answer_known(FileEntry& entry, const http::Request& request,
                                       Instant now) {
  if (now - entry.checked >= options_.revalidate_after) return check(entry, request, now);
  if ((entry.kind == Kind::kStreamed || entry.negotiated) && has_changed(entry)) {
    return check(entry, request, now);
  }
  table_.use(entry);
  return respond(entry, request, now);
}

// Looks whether the entry still holds, and replaces it if not.
http::Response FileCache::check(FileEntry& entry, const http::Request& request, Instant now) {
  const std::string decoded = *http::decode_path(entry.path);
  FileLoader::Opened opened = loader_.open(decoded);
  const bool unknown = !opened && opened.error() != OpenFailure::kMissing;
  // Better stale than nothing, while the system has no answer.
  if (unknown || loader_.still_holds(entry, decoded, opened)) {
    entry.checked = now;
    table_.use(entry);
    return respond(entry, request, now);
  }
  std::string path = entry.path;
  table_.erase(entry);
  return keep(std::move(path), loader_.make_entry(decoded, std::move(opened)), request, now);
}

http::Response FileCache::load(std::string path, const std::string& decoded,
                               const http::Request& request, Instant now) {
  FileLoader::Opened opened = loader_.open(decoded);
  if (!opened && opened.error() == OpenFailure::kNoDescriptors) {
    table_.erase_open_files();
    opened = loader_.open(decoded);
  }
  return keep(std::move(path), loader_.make_entry(decoded, std::move(opened)), request, now);
}

http::Response FileCache::keep(std::string path, FileLoader::Loaded loaded,
                               const http::Request& request, Instant now) {
  if (!loaded) return error(503, request, now);
  std::unique_ptr<FileEntry> entry = std::move(*loaded);
  http::Response response = respond(*entry, request, now);
  if (path.size() <= kLongestCachedPath) {
    entry->path = std::move(path);
    entry->checked = now;
    table_.insert(std::move(entry));
  }
  return response;
}

http::Response FileCache::respond(const FileEntry& entry, const http::Request& request,
                                  Instant now) {
  switch (entry.kind) {
    case Kind::kWhole:
    case Kind::kStreamed:
      break;
    case Kind::kMissing:
      return respond_missing(request, now);
    case Kind::kRedirect:
      return directory_redirect(entry, request);
    case Kind::kListing:
      if (request.method() == Method::kHead) {
        return http::Response(entry.heads.ok.over(over_https(request)), {});
      }
      return http::Response(entry.heads.ok.over(over_https(request)), entry.body);
  }
  return respond_file(entry, request, now);
}

http::Response FileCache::respond_file(const FileEntry& entry, const http::Request& request,
                                       Instant now) {
  const Representation& form = choose_form(entry, request);
  const http::ConditionalFields found = http::conditional_fields(request.fields());
  const bool wants_part = found.range && request.method() == Method::kGet;
  if (found.preconditions || wants_part) {
    return respond_conditionally(form, wants_part, request, now);
  }
  return respond_whole(form, request);
}

http::Response FileCache::respond_whole(const Representation& form, const http::Request& request) {
  const SharedHead& head = form.heads.ok.over(over_https(request));
  if (request.method() == Method::kHead) return http::Response(head, {});
  if (form.file == nullptr) return http::Response(head, form.body);
  return whole_content(head, form, own_buffers());
}

// In the order of RFC 9110 section 13.2.2: preconditions, then the range if If-Range allows it.
http::Response FileCache::respond_conditionally(const Representation& form, bool wants_part,
                                                const http::Request& request, Instant now) {
  const std::int64_t wall_seconds = std::time(nullptr);
  const http::Validators validators = form.heads.validators();
  switch (http::evaluate(request.method(), request.fields(), validators, wall_seconds)) {
    case http::Precondition::kNotModified:
      return http::Response(form.heads.not_modified.over(over_https(request)), {});
    case http::Precondition::kFailed:
      return error(412, request, now);
    case http::Precondition::kProceed:
      break;
  }
  if (!wants_part || !http::range_applies(request.fields(), validators, wall_seconds)) {
    return respond_whole(form, request);
  }
  const auto size = static_cast<std::uint64_t>(form.identity.size);
  const http::RangeRequest asked = http::requested_ranges(request.fields(), size);
  switch (asked.kind()) {
    case http::RangeRequest::Kind::kWhole:
      return respond_whole(form, request);
    case http::RangeRequest::Kind::kUnsatisfiable:
      return error(416, request, now, http::unsatisfied_range(size));
    case http::RangeRequest::Kind::kPartial:
      break;
  }
  const SharedHead& whole = form.heads.ok.over(over_https(request));
  // Content-Encoding would be taken for that of the multipart body.
  if (asked.ranges().size() > 1 && whole->fields().contains("content-encoding")) {
    return respond_whole(form, request);
  }
  return partial_content(form, *whole, asked, own_buffers());
}

http::Response FileCache::respond_missing(const http::Request& request, Instant now) {
  if (fallback_ && looks_like_navigation(request)) {
    if (const FileEntry* page = fallback_->get(now)) return respond_file(*page, request, now);
  }
  return error(404, request, now);
}

http::Response FileCache::directory_redirect(const FileEntry& entry, const http::Request& request) {
  const SharedHead& head = entry.heads.ok.over(over_https(request));
  const std::string_view query = safe_query(request);
  if (query.empty()) return http::Response(head, {});
  http::Response response(head->status());
  response.fields() = head->fields();
  std::string location(*head->fields().get("location"));
  response.fields().set("location", location.append("?").append(query));
  return response;
}

http::Response FileCache::redirect(const http::Redirection& redirection, const std::string& path,
                                   const http::Request& request) {
  http::Response response(redirection.status);
  response.with("location", redirection.location).with("content-length", "0");
  http::apply_rules(options_.field_rules, false, path, {}, response.fields());
  if (over_https(request) && !options_.hsts.empty()) {
    response.fields().set("strict-transport-security", options_.hsts);
  }
  return response;
}

http::Response FileCache::error(int status, const http::Request& request, Instant now,
                                std::string_view content_range) {
  const bool with_body = request.method() != Method::kHead;
  if (content_range.empty() && !always_rules_) {
    return errors_.answer(status, over_https(request), with_body, now, buffers_);
  }
  http::Response known = errors_.answer(status, over_https(request), with_body, now, buffers_);
  http::Response response(status);
  response.fields() = known.prepared()->fields();
  if (!content_range.empty()) response.with("content-range", content_range);
  const auto decoded = http::decode_path(request.path());
  http::apply_rules(options_.field_rules, false, decoded.value_or("/"), {}, response.fields());
  response.set_body(std::move(known.body()));
  return response;
}

// Made anew where another thread's worker takes over.
const std::shared_ptr<StreamBuffers>& FileCache::own_buffers() {
  if (!buffers_->belong_here()) buffers_ = StreamBuffers::of_this_thread();
  return buffers_;
}

}  // namespace perch::server
