#pragma once

#include "perch/http/output_queue.h"

namespace perch::http2 {
using http::OutputQueue;
}  // namespace perch::http2
