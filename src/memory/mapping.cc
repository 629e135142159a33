#include "memory/mapping.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "perch/base/check.h"

namespace perch::memory {

std::size_t page_bytes() {
  static const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes() - 1) & ~(page_bytes() - 1);
}

std::byte* map_region(std::size_t bytes, std::size_t alignment) {
  // mmap aligns to a page only: ask for more and cut off both ends.
  const std::size_t slack = alignment - page_bytes();
  void* mapped = ::mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  PERCH_CHECK(mapped != MAP_FAILED);
  auto* region = static_cast<std::byte*>(mapped);
  const std::size_t front = -reinterpret_cast<std::uintptr_t>(region) & (alignment - 1);
  if (front > 0) ::munmap(region, front);
  region += front;
  if (slack > front) ::munmap(region + bytes, slack - front);
  // Fails only on kernels without huge pages, where there is nothing to switch off.
  ::madvise(region, bytes, MADV_NOHUGEPAGE);
  return region;
}

void unmap_region(std::byte* region, std::size_t bytes) noexcept {
  PERCH_CHECK(::munmap(region, bytes) == 0);
}

void decommit(std::byte* begin, std::size_t bytes) noexcept {
  PERCH_CHECK(::madvise(begin, bytes, MADV_DONTNEED) == 0);
}

void exclude_from_dumps(std::byte* region, std::size_t bytes) {
  PERCH_CHECK(::madvise(region, bytes, MADV_DONTDUMP) == 0);
}

// Raw system calls: sanitizer runtimes replace the library's mlock and munlock by no-ops, and pages
// that stay locked cannot be given back.
bool lock_on_touch(std::byte* begin, std::size_t bytes) noexcept {
  return ::syscall(SYS_mlock2, begin, bytes, MLOCK_ONFAULT) == 0;
}

void unlock(std::byte* begin, std::size_t bytes) noexcept {
  PERCH_CHECK(::syscall(SYS_munlock, begin, bytes) == 0);
}

}  // namespace perch::memory
