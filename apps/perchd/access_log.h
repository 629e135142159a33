// Lines of the access log: the formats that log analysers know, and JSON.
#pragma once

#include <chrono>
#include <string>

#include "perch/server/access_record.h"
#include "perchd/config.h"

namespace perch::perchd {

// Appends one line without its newline. Whatever a client has sent is escaped: in common and
// combined, bytes outside of printable ASCII, `"` and `\` as \xHH; in JSON as RFC 8259 wants it,
// and bytes that are no UTF-8 as the Latin-1 character of that value. So a request can neither end
// a line nor leave its field.
//
// A request that was given up before its response has status 499 (as with nginx).
void append_access_line(std::string& line, AccessFormat format, const server::AccessRecord& record,
                        std::chrono::system_clock::time_point when);

}  // namespace perch::perchd
