// A page of what a directory holds.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "perch/net/unique_fd.h"
#include "server/files/document_root.h"

namespace perch::server {

// More entries are left out, and the page says so: it bounds what one request can cost.
inline constexpr std::size_t kMostListed = 10'000;

// HTML: directories first, then files, by name, with sizes and times. Left out are names that begin
// with a dot, symbolic links that `root` would not follow, and what is neither file nor directory.
// `path` is decoded and ends with "/". Nothing where the directory cannot be read.
std::optional<std::string> make_listing(const DocumentRoot& root, std::string_view path,
                                        net::UniqueFd directory);

// "&", "<", ">" and both quotes as references: for text and for quoted attribute values.
std::string escape_html(std::string_view text);

// "13 B", "1.5 KiB", "20 GiB": at most four digits.
std::string format_file_size(std::int64_t bytes);

}  // namespace perch::server
