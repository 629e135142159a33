// Request targets to paths, and back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace perch::http {

// Percent-decodes a path and removes dot segments (RFC 3986 section 5.2.4), giving an absolute path
// ("/a/b", "/a/" keeps its slash). Nothing where it is not origin-form, has a malformed escape, a
// NUL, or a dot segment that would climb above the root. Repeated slashes collapse into one.
//
// Escapes are decoded before dot segments are looked for ("%2e%2e" climbs like ".."), and once
// only. An encoded slash ("%2f") gives nothing: decoded, it could not be told from a separator. A
// backslash is an ordinary character, and bytes above 0x7f pass as they are, valid UTF-8 or not.
std::optional<std::string> decode_path(std::string_view path);

// Any escapes, NUL and "/" included; nothing where one is malformed. "+" stays "+".
std::optional<std::string> percent_decode(std::string_view text);

// Percent-encodes what RFC 3986 does not let stand in a path; "/" stays. For every path p that
// decode_path gives, decode_path(encode_path(p)) == p.
std::string encode_path(std::string_view path);

// What is wrong with a path, decoded, that a setting gives for a file ("/errors/404.html"), or
// nothing: it begins with "/", ends in a name, and is one that decode_path could give.
std::optional<std::string> file_path_mistake(std::string_view path);

}  // namespace perch::http
