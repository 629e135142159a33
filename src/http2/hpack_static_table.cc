#include "http2/hpack_static_table.h"

#include <array>

#include "http2/hpack_hash.h"

namespace perch::http2 {
namespace {

constexpr std::array<StaticEntry, kStaticEntries> kTable = {{
    {":authority", ""},
    {":method", "GET"},
    {":method", "POST"},
    {":path", "/"},
    {":path", "/index.html"},
    {":scheme", "http"},
    {":scheme", "https"},
    {":status", "200"},
    {":status", "204"},
    {":status", "206"},
    {":status", "304"},
    {":status", "400"},
    {":status", "404"},
    {":status", "500"},
    {"accept-charset", ""},
    {"accept-encoding", "gzip, deflate"},
    {"accept-language", ""},
    {"accept-ranges", ""},
    {"accept", ""},
    {"access-control-allow-origin", ""},
    {"age", ""},
    {"allow", ""},
    {"authorization", ""},
    {"cache-control", ""},
    {"content-disposition", ""},
    {"content-encoding", ""},
    {"content-language", ""},
    {"content-length", ""},
    {"content-location", ""},
    {"content-range", ""},
    {"content-type", ""},
    {"cookie", ""},
    {"date", ""},
    {"etag", ""},
    {"expect", ""},
    {"expires", ""},
    {"from", ""},
    {"host", ""},
    {"if-match", ""},
    {"if-modified-since", ""},
    {"if-none-match", ""},
    {"if-range", ""},
    {"if-unmodified-since", ""},
    {"last-modified", ""},
    {"link", ""},
    {"location", ""},
    {"max-forwards", ""},
    {"proxy-authenticate", ""},
    {"proxy-authorization", ""},
    {"range", ""},
    {"referer", ""},
    {"refresh", ""},
    {"retry-after", ""},
    {"server", ""},
    {"set-cookie", ""},
    {"strict-transport-security", ""},
    {"transfer-encoding", ""},
    {"user-agent", ""},
    {"vary", ""},
    {"via", ""},
    {"www-authenticate", ""},
}};

// Open addressing: each slot has the index of a name's first entry, or 0. Entries of one name
// follow each other in the table.
constexpr std::size_t kSlots = 256;
constexpr std::size_t slot_of(std::uint32_t name_hash) { return name_hash % kSlots; }

constexpr std::array<std::uint8_t, kSlots> make_slots() {
  std::array<std::uint8_t, kSlots> slots{};
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (i > 0 && kTable[i].name == kTable[i - 1].name) continue;
    std::size_t slot = slot_of(hpack_hash(kTable[i].name));
    while (slots[slot] != 0) slot = (slot + 1) % kSlots;
    slots[slot] = static_cast<std::uint8_t>(i + 1);
  }
  return slots;
}
constexpr auto kSlotTable = make_slots();

}  // namespace

const StaticEntry& static_entry(std::size_t index) { return kTable[index - 1]; }

StaticMatch find_static(std::string_view name, std::uint32_t name_hash, std::string_view value) {
  for (std::size_t slot = slot_of(name_hash); kSlotTable[slot] != 0; slot = (slot + 1) % kSlots) {
    const std::uint8_t first = kSlotTable[slot];
    if (static_entry(first).name != name) continue;
    for (std::uint8_t i = first; i <= kStaticEntries && static_entry(i).name == name; ++i) {
      if (static_entry(i).value == value) return {i, true};
    }
    return {first, false};
  }
  return {};
}

}  // namespace perch::http2
