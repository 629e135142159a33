// Answers with parts of a file (RFC 9110 section 14 and 15.3.7).
#pragma once

#include <memory>

#include "perch/http/range.h"
#include "perch/http/response.h"
#include "server/files/file_body.h"
#include "server/files/file_table.h"

namespace perch::server {

// 206 with one range, or with several as multipart/byteranges, which are streamed part by part: no
// more than one pull of the file, or the head of one part, is in memory. `head` is that of the
// whole. REQUIRES: asked.kind() is kPartial.
http::Response partial_content(const Representation& form, const http::PreparedHead& head,
                               const http::RangeRequest& asked,
                               std::shared_ptr<StreamBuffers> buffers);

}  // namespace perch::server
