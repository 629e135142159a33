#include "memory/resident_pages.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <vector>

#include "memory/mapping.h"
#include "perch/base/check.h"

namespace perch::memory::testing {

std::size_t resident_pages(const void* begin, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t first = address & ~(page_bytes() - 1);
  const std::size_t length = whole_pages(address + bytes - first);
  std::vector<unsigned char> state(length / page_bytes());
  PERCH_CHECK(::mincore(reinterpret_cast<void*>(first), length, state.data()) == 0);
  std::size_t resident = 0;
  for (unsigned char page : state) resident += page & 1;
  return resident;
}

std::string mapping_flags(const void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream smaps("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(smaps, line);) {
    unsigned long begin = 0;
    unsigned long end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) {
      inside = begin <= wanted && wanted < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.substr(8) + " ";
    }
  }
  return {};
}

}  // namespace perch::memory::testing
