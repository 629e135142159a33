#include "server/files/file_pages.h"

#include <algorithm>
#include <utility>

#include "perch/base/ascii.h"
#include "perch/base/check.h"
#include "perch/http/field_text.h"

namespace perch::server {
namespace {

constexpr int kStatuses[] = {400, 404, 405, 412, 416, 503};
constexpr std::string_view kPlainText = "text/plain; charset=utf-8";

// "text/html;q=0.9" names it, "text/*" does not: programs that take anything are no browsers.
bool names_html(std::string_view accept) {
  bool named = false;
  http::for_each_element(accept, [&](std::string_view type) {
    named |= equal_ignoring_case(http::trim(type.substr(0, type.find(';'))), "text/html");
  });
  return named;
}

}  // namespace

const FileEntry* PageFile::get(Instant now) {
  if (entry_ != nullptr && entry_->kind == FileEntry::Kind::kStreamed &&
      !same_content(identify(entry_->file->descriptor.get()), entry_->identity)) {
    looked_at_ = false;
  }
  if (looked_at_ && now - checked_ < options_.revalidate_after) return entry_.get();
  looked_at_ = true;
  checked_ = now;
  FileLoader::Opened opened = loader_.open_page(path_);
  if (!opened) {
    // Better stale than nothing, while the system has no answer.
    if (opened.error() == OpenFailure::kMissing) entry_.reset();
  } else if (entry_ == nullptr || !loader_.still_holds(*entry_, path_, opened)) {
    auto made = loader_.make_page(path_, std::move(opened), vary_);
    entry_ = made ? std::move(*made) : nullptr;
  }
  return entry_.get();
}

ErrorPages::ErrorPages(const FileLoader& loader, const FileOptions& options, const HeadMaker& heads)
    : heads_(heads) {
  for (const int status : kStatuses) {
    const std::string line =
        std::to_string(status).append(" ").append(http::reason_phrase(status)).append("\n");
    Known& one = known_.emplace_back();
    one.status = status;
    one.head = heads.error(status, kPlainText, line.size());
    one.text = Bytes::copy(line);
    const auto page = std::ranges::find(options.error_pages, status, &ErrorPage::status);
    if (page == options.error_pages.end()) continue;
    one.custom = std::make_unique<Custom>(Custom{PageFile(loader, options, page->path), 0, {}});
  }
}

ErrorPages::Known& ErrorPages::known(int status) {
  const auto found = std::ranges::find(known_, status, &Known::status);
  PERCH_CHECK(found != known_.end());
  return *found;
}

http::Response ErrorPages::answer(int status, bool https, bool with_body, Instant now,
                                  const std::shared_ptr<StreamBuffers>& buffers) {
  Known& error = known(status);
  if (error.custom != nullptr) {
    Custom& custom = *error.custom;
    if (const FileEntry* file = custom.file.get(now)) {
      const http::PreparedHead& whole = *file->heads.ok.over(false);
      if (custom.made_of != whole.id()) {
        custom.made_of = whole.id();
        custom.head = heads_.error(status, whole.fields().get("content-type").value_or(kPlainText),
                                   static_cast<std::uint64_t>(file->identity.size));
      }
      if (!with_body) return http::Response(custom.head.over(https), {});
      return whole_content(custom.head.over(https), *file, buffers);
    }
  }
  if (!with_body) return http::Response(error.head.over(https), {});
  return http::Response(error.head.over(https), error.text);
}

http::Response whole_content(const SharedHead& head, const Representation& form,
                             const std::shared_ptr<StreamBuffers>& buffers) {
  if (form.file == nullptr) return http::Response(head, form.body);
  std::unique_ptr<http::BodySource> source = std::make_unique<FileSource>(form.file, buffers);
  return http::Response(head, std::move(source));
}

bool looks_like_navigation(const http::Request& request) {
  const std::string_view path = request.path();
  if (path.find("/.") != std::string_view::npos) return false;
  if (path.substr(path.rfind('/') + 1).find('.') != std::string_view::npos) return false;
  for (const http::Field& field : request.fields()) {
    if (field.name == "accept" && names_html(field.value)) return true;
  }
  return false;
}

}  // namespace perch::server
