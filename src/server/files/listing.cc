#include "server/files/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "perch/http/path.h"

namespace perch::server {
namespace {

struct Listed {
  std::string name;
  bool directory;
  std::int64_t size;
  std::int64_t modified;  // unix seconds
};

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDirectory>;

// Nothing where the entry is not to be shown.
std::optional<Listed> look_at(const DocumentRoot& root, std::string_view path, int directory,
                              const char* name) {
  struct stat status{};
  if (::fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
  if (S_ISLNK(status.st_mode)) {
    // By way of the root, so that nothing is told of what lies outside.
    const auto target = root.look_at(std::string(path.substr(1)) + name);
    if (!target) return std::nullopt;
    constexpr std::int64_t kPerSecond = 1'000'000'000;
    return Listed{name, target->type == FileType::kDirectory, target->identity.size,
                  target->identity.modified_ns / kPerSecond};
  }
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) return std::nullopt;
  return Listed{name, S_ISDIR(status.st_mode), status.st_size, status.st_mtim.tv_sec};
}

std::string format_time(std::int64_t unix_seconds) {
  using namespace std::chrono;
  const sys_seconds time{seconds(unix_seconds)};
  const sys_days day = floor<days>(time);
  const year_month_day date(day);
  const hh_mm_ss clock(time - day);
  const auto two_digits = [](auto number) {
    const auto value = static_cast<unsigned>(number);
    return (value < 10 ? "0" : "") + std::to_string(value);
  };
  std::string text = std::to_string(static_cast<int>(date.year()));
  text.append("-").append(two_digits(static_cast<unsigned>(date.month())));
  text.append("-").append(two_digits(static_cast<unsigned>(date.day())));
  text.append(" ").append(two_digits(clock.hours().count()));
  return text.append(":").append(two_digits(clock.minutes().count()));
}

void append_row(std::string& page, const Listed& entry) {
  const std::string_view slash = entry.directory ? "/" : "";
  // "./" in front: a name such as "javascript:x" would be a URL of its own.
  page.append("<tr><td><a href=\"./").append(escape_html(http::encode_path(entry.name)));
  page.append(slash).append("\">").append(escape_html(entry.name)).append(slash);
  page.append("</a></td><td>");
  if (!entry.directory) page.append(format_file_size(entry.size));
  page.append("</td><td>").append(format_time(entry.modified)).append("</td></tr>\n");
}

constexpr std::string_view kStyle =
    "body{font-family:sans-serif;margin:2em}"
    "td,th{padding:.1em 1.5em .1em 0;text-align:left}"
    "td:nth-child(2){text-align:right}"
    "td:nth-child(n+2){color:#555;white-space:nowrap}";

}  // namespace

std::string escape_html(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    switch (c) {
      case '&':
        escaped.append("&amp;");
        break;
      case '<':
        escaped.append("&lt;");
        break;
      case '>':
        escaped.append("&gt;");
        break;
      case '"':
        escaped.append("&quot;");
        break;
      case '\'':
        escaped.append("&#39;");
        break;
      default:
        escaped.push_back(c);
    }
  }
  return escaped;
}

std::string format_file_size(std::int64_t bytes) {
  constexpr auto kUnits = std::to_array<std::string_view>({"B", "KiB", "MiB", "GiB", "TiB"});
  std::size_t unit = 0;
  std::int64_t tenths = 0;  // beyond `bytes`, which is whole units
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) {
    tenths = bytes % 1024 * 10 / 1024;
    bytes /= 1024;
  }
  std::string text = std::to_string(bytes);
  if (bytes < 10 && tenths != 0) text.append(".").append(std::to_string(tenths));
  return text.append(" ").append(kUnits[unit]);
}

std::optional<std::string> make_listing(const DocumentRoot& root, std::string_view path,
                                        net::UniqueFd directory) {
  const DirectoryStream stream(::fdopendir(directory.get()));
  if (stream == nullptr) return std::nullopt;
  const int descriptor = directory.release();  // the stream's from here on
  std::vector<Listed> entries;
  std::size_t looked_at = 0;
  while (const dirent* each = ::readdir(stream.get())) {
    if (each->d_name[0] == '.') continue;
    if (++looked_at > kMostListed) break;
    auto entry = look_at(root, path, descriptor, each->d_name);
    if (entry) entries.push_back(std::move(*entry));
  }
  std::ranges::sort(entries, {}, [](const Listed& entry) {
    return std::pair<bool, std::string_view>(!entry.directory, entry.name);
  });

  const std::string title = "Index of " + escape_html(path);
  std::string page = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>";
  page.append(title).append("</title><style>").append(kStyle).append("</style></head><body>\n<h1>");
  page.append(title).append(
      "</h1>\n<table><tr><th>Name</th><th>Size</th><th>Changed (UTC)</th></tr>\n");
  if (path != "/") page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
  for (const Listed& entry : entries) append_row(page, entry);
  page.append("</table>\n");
  if (looked_at > kMostListed) page.append("<p>There is more than is listed here.</p>\n");
  page.append("</body></html>\n");
  return page;
}

}  // namespace perch::server
