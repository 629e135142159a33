// Broken invariants end the process: going on would serve wrong bytes to somebody.
#pragma once

namespace perch::detail {
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}

// Always on. For conditions that only a bug in Perch or a misuse named in a contract can break.
#define PERCH_CHECK(condition)                         \
  (static_cast<bool>(condition) ? static_cast<void>(0) \
                                : ::perch::detail::check_failed(#condition, __FILE__, __LINE__))

// On in builds without NDEBUG only, for checks too dear for the hot path.
#ifdef NDEBUG
#define PERCH_DCHECK(condition) static_cast<void>(0)
#else
#define PERCH_DCHECK(condition) PERCH_CHECK(condition)
#endif
