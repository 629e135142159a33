// nghttp2's allocations on the slab heap.
#pragma once

#include <nghttp2/nghttp2.h>

namespace perch::http2 {

// Lives as long as the process.
nghttp2_mem* hpack_inflater_memory();

}  // namespace perch::http2
