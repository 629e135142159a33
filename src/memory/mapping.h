// Regions of address space straight from the kernel, for memory that must really leave again.
//
// Memory that cannot be had ends the process (a stated policy), so nothing here fails.
#pragma once

#include <cstddef>

namespace perch::memory {

std::size_t page_bytes();

// `bytes` rounded up to whole pages.
std::size_t whole_pages(std::size_t bytes);

// Reserves zeroed memory that is committed page by page as it is touched, never by huge pages.
// REQUIRES: `bytes` and `alignment` are multiples of the page, `alignment` a power of two.
std::byte* map_region(std::size_t bytes, std::size_t alignment);

void unmap_region(std::byte* region, std::size_t bytes) noexcept;

// Gives the pages back; the addresses stay usable and read as zero. REQUIRES: not locked.
void decommit(std::byte* begin, std::size_t bytes) noexcept;

// Leaves the region out of core dumps.
void exclude_from_dumps(std::byte* region, std::size_t bytes);

// Locks pages as they are touched, so that they never reach swap. False when the system refuses,
// which RLIMIT_MEMLOCK makes normal.
[[nodiscard]] bool lock_on_touch(std::byte* begin, std::size_t bytes) noexcept;
void unlock(std::byte* begin, std::size_t bytes) noexcept;

}  // namespace perch::memory
