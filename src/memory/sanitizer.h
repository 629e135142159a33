// Which sanitizer this is built for, and how to tell it that memory is nobody's.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define PERCH_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERCH_ADDRESS_SANITIZER 1
#endif
#endif
#ifndef PERCH_ADDRESS_SANITIZER
#define PERCH_ADDRESS_SANITIZER 0
#endif

#if PERCH_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace perch::memory {

#if PERCH_ADDRESS_SANITIZER
inline void forbid_access(const void* begin, std::size_t bytes) {
  ASAN_POISON_MEMORY_REGION(begin, bytes);
}
inline void permit_access(const void* begin, std::size_t bytes) {
  ASAN_UNPOISON_MEMORY_REGION(begin, bytes);
}
#else
inline void forbid_access(const void*, std::size_t) {}
inline void permit_access(const void*, std::size_t) {}
#endif

}  // namespace perch::memory
