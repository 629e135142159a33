// Patterns of paths, as settings use them: "/assets/*", "*.css", "/about".
//
// `*` stands for any run of characters, "/" included, also for none; everything else stands for
// itself. A pattern is matched against a whole path as http::decode_path gives it, so it is written
// without percent-encoding. It begins with "/" or with "*": others could match nothing.
#pragma once

#include <string_view>

namespace perch::http {

bool is_path_pattern(std::string_view pattern);

// In time of the product of both lengths at worst.
bool path_matches(std::string_view pattern, std::string_view path);

}  // namespace perch::http
