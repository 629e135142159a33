// Media types by file name extension.
#pragma once

#include <string_view>

namespace perch::http {

// "text/html; charset=utf-8" for ".html"; "application/octet-stream" for what is not known. Static
// storage; extension comparison ignores case.
std::string_view media_type_of(std::string_view file_name);

}  // namespace perch::http
