#include "server/files/file_loader.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "server/files/listing.h"

namespace perch::server {
namespace {

using Kind = FileEntry::Kind;
using http::ContentCoding;

// How often a small file is read again when it changes meanwhile.
constexpr int kReadAttempts = 3;

// Two writes within one tick of the file system's clock leave the same time (a tick was up to 10 ms
// before Linux 6.13). What has been at rest for longer cannot have changed unseen.
constexpr std::int64_t kSettledAfterNs = 20'000'000;

std::int64_t wall_clock_ns() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch).count();
}

std::string_view suffix_of(ContentCoding coding) {
  switch (coding) {
    case ContentCoding::kGzip:
      return ".gz";
    case ContentCoding::kBrotli:
      return ".br";
    case ContentCoding::kZstd:
      return ".zst";
    case ContentCoding::kIdentity:
      break;
  }
  return "";
}

std::unexpected<OpenFailure> missing() { return std::unexpected(OpenFailure::kMissing); }

// DocumentRoot's names are relative.
std::string below_root(std::string_view path) {
  return path == "/" ? std::string(".") : std::string(path.substr(1));
}

}  // namespace

bool is_hidden(std::string_view decoded_path) {
  constexpr std::string_view kWellKnown = "/.well-known/";
  const std::size_t from = decoded_path.starts_with(kWellKnown) ? kWellKnown.size() - 1 : 0;
  return decoded_path.find("/.", from) != std::string_view::npos;
}

FileLoader::FileLoader(const DocumentRoot& root, const FileOptions& options, const HeadMaker& heads)
    : root_(root),
      options_(options),
      heads_(heads),
      largest_body_(std::min(options.largest_cached_body, options.cached_body_bytes)) {}

std::string FileLoader::file_path(const std::string& path) const {
  return path.ends_with('/') ? path + options_.index : path;
}

FileLoader::Opened FileLoader::open(const std::string& path) const {
  if (is_hidden(path)) return missing();
  if (!path.ends_with('/')) return root_.open_file(below_root(path));
  Opened opened = missing();
  if (!options_.index.empty()) {
    opened = root_.open_file(below_root(file_path(path)));
    if (opened && opened->type == FileType::kDirectory) opened = missing();
  }
  if (opened || opened.error() != OpenFailure::kMissing || !options_.listing) return opened;
  return root_.open_file(below_root(path));
}

FileLoader::Opened FileLoader::open_page(const std::string& path) const {
  Opened opened = root_.open_file(below_root(path));
  if (opened && opened->type == FileType::kDirectory) return missing();
  return opened;
}

FileLoader::Opened FileLoader::open_sibling(const std::string& file_path, ContentCoding coding,
                                            const FileIdentity& original) const {
  Opened opened = open_page(file_path + std::string(suffix_of(coding)));
  // An older one is a copy of what the file was before.
  if (opened && opened->identity.modified_ns < original.modified_ns) return missing();
  return opened;
}

bool FileLoader::still_holds(const FileEntry& entry, const std::string& path,
                             const Opened& opened) const {
  if (!opened) return entry.kind == Kind::kMissing;
  if (opened->type == FileType::kDirectory) {
    // What a listing says of the files is not in the directory's own times.
    return entry.kind == Kind::kRedirect && !path.ends_with('/');
  }
  if (!entry.holds_file() || !entry.settled || opened->identity != entry.identity) return false;
  return std::ranges::all_of(entry.siblings, [&](const Sibling& sibling) {
    const Opened now = open_sibling(file_path(path), sibling.coding, entry.identity);
    const FileIdentity identity = now ? now->identity : FileIdentity{};
    return identity == sibling.identity && (sibling.form == nullptr || sibling.form->settled);
  });
}

FileLoader::Loaded FileLoader::make_entry(const std::string& path, Opened opened) const {
  if (!opened && opened.error() != OpenFailure::kMissing) return std::unexpected(opened.error());
  if (opened && opened->type == FileType::kRegular) {
    return make_file({.request_path = path, .file_path = file_path(path), .vary = {}},
                     std::move(*opened));
  }
  if (opened && path.ends_with('/')) return make_listing_entry(path, std::move(*opened));
  auto entry = std::make_unique<FileEntry>();
  entry->kind = opened ? Kind::kRedirect : Kind::kMissing;
  if (opened) entry->heads.ok = heads_.directory_redirect(path);
  return entry;
}

FileLoader::Loaded FileLoader::make_page(const std::string& path, Opened opened,
                                         std::string_view vary) const {
  if (!opened) return std::unexpected(opened.error());
  return make_file({.request_path = path, .file_path = path, .vary = vary}, std::move(*opened));
}

FileLoader::Loaded FileLoader::make_listing_entry(const std::string& path,
                                                  OpenedFile directory) const {
  const auto page = make_listing(root_, path, std::move(directory.descriptor));
  if (!page) return std::unexpected(OpenFailure::kFailed);
  auto entry = std::make_unique<FileEntry>();
  entry->kind = Kind::kListing;
  entry->body = make_cached_body(*page);
  entry->heads.ok = heads_.listing(path, page->size());
  return entry;
}

FileLoader::Loaded FileLoader::make_file(const Names& names, OpenedFile opened) const {
  auto entry = std::make_unique<FileEntry>();
  if (auto done = read(*entry, std::move(opened)); !done) return std::unexpected(done.error());
  entry->kind = entry->file == nullptr ? Kind::kWhole : Kind::kStreamed;
  add_siblings(*entry, names);
  std::string vary(names.vary);
  if (entry->negotiated) vary.append(vary.empty() ? "" : ", ").append("accept-encoding");
  describe(*entry, names, ContentCoding::kIdentity, vary);
  for (Sibling& sibling : entry->siblings) {
    if (sibling.form != nullptr) describe(*sibling.form, names, sibling.coding, vary);
  }
  return entry;
}

// Fills in all but the heads.
std::expected<void, OpenFailure> FileLoader::read(Representation& form, OpenedFile opened) const {
  form.identity = opened.identity;
  const int descriptor = opened.descriptor.get();
  const std::int64_t now_ns = wall_clock_ns();
  for (int attempt = 1; is_small(form.identity); ++attempt) {
    if (auto body = read_file(descriptor, form.identity)) {
      form.body = std::move(*body);
      form.settled = now_ns - form.identity.changed_ns > kSettledAfterNs;
      return {};
    }
    if (attempt == kReadAttempts) return std::unexpected(OpenFailure::kFailed);
    form.identity = identify(descriptor);
  }
  form.file = std::make_shared<SharedFile>(std::move(opened.descriptor), form.identity);
  return {};
}

void FileLoader::describe(Representation& form, const Names& names, ContentCoding coding,
                          std::string_view vary) const {
  form.heads = heads_.file({.request_path = names.request_path,
                            .file_path = names.file_path,
                            .identity = form.identity,
                            .coding = coding,
                            .vary = vary,
                            .now_unix_seconds = wall_clock_ns() / 1'000'000'000});
}

void FileLoader::add_siblings(FileEntry& entry, const Names& names) const {
  entry.siblings.reserve(options_.precompressed.size());
  for (const ContentCoding coding : options_.precompressed) {
    Sibling& sibling = entry.siblings.emplace_back();
    sibling.coding = coding;
    Opened opened = open_sibling(names.file_path, coding, entry.identity);
    if (!opened) continue;
    auto form = std::make_unique<Representation>();
    if (!read(*form, std::move(*opened))) continue;
    sibling.identity = form->identity;
    sibling.form = std::move(form);
    entry.negotiated = true;
  }
}

}  // namespace perch::server
