// For tests: which pages of a region the system really holds, and how it treats them.
#pragma once

#include <cstddef>
#include <string>

namespace perch::memory::testing {

// Pages of [begin, begin + bytes) that are in memory.
std::size_t resident_pages(const void* begin, std::size_t bytes);

// The VmFlags line of the mapping that holds `address`, such as " rd wr mr mw me dd nh ".
std::string mapping_flags(const void* address);

}  // namespace perch::memory::testing
