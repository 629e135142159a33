#include "perch-load/process_memory.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace perch::load {
namespace {

// The value of the line `name:  1234 kB`, in bytes.
std::optional<std::uint64_t> line_value(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    std::uint64_t kilobytes = 0;
    const auto [after, error] = std::from_chars(line.data(), line.data() + line.size(), kilobytes);
    if (error != std::errc{}) return std::nullopt;
    return kilobytes * 1024;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ProcessMemory> parse_process_status(std::string_view text) {
  const auto resident = line_value(text, "VmRSS");
  const auto swapped = line_value(text, "VmSwap");
  const auto anonymous = line_value(text, "RssAnon");
  if (!resident || !swapped || !anonymous) return std::nullopt;
  return ProcessMemory{*resident, *swapped, *anonymous};
}

std::optional<ProcessMemory> read_process_memory(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/status");
  const std::string text(std::istreambuf_iterator<char>(in), {});
  return parse_process_status(text);
}

}  // namespace perch::load
