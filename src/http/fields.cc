#include "perch/http/fields.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "perch/base/check.h"

namespace perch::http {
namespace {

// tchar of RFC 9110 section 5.6.2 without the upper-case letters.
constexpr std::array<bool, 256> make_name_characters() {
  std::array<bool, 256> allowed{};
  for (int c = '0'; c <= '9'; ++c) allowed[static_cast<std::size_t>(c)] = true;
  for (int c = 'a'; c <= 'z'; ++c) allowed[static_cast<std::size_t>(c)] = true;
  for (char c : std::string_view("!#$%&'*+-.^_`|~")) allowed[static_cast<unsigned char>(c)] = true;
  return allowed;
}
constexpr std::array<bool, 256> kNameCharacters = make_name_characters();

constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
constexpr bool ends_a_line(char c) { return c == '\0' || c == '\r' || c == '\n'; }

// True where NUL, CR or LF occurs. Eight characters at a time are passed over when none of them is
// below 0x0e, which is nearly always.
bool has_line_end(std::string_view text) {
  constexpr std::uint64_t kOnes = 0x0101010101010101;
  while (text.size() >= 8) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    const bool low = ((word - kOnes * 0x0e) & ~word & (kOnes << 7)) != 0;
    if (low && std::ranges::any_of(text.substr(0, 8), ends_a_line)) return true;
    text.remove_prefix(8);
  }
  return std::ranges::any_of(text, ends_a_line);
}

}  // namespace

void Fields::add(std::string_view name, std::string_view value, bool sensitive) {
  const std::size_t offset = text_.size();
  const std::size_t needed = offset + name.size() + value.size();
  PERCH_CHECK(needed <= INT32_MAX);
  entries_.push_back({.offset = static_cast<std::uint32_t>(offset),
                      .value_size = static_cast<std::uint32_t>(value.size()),
                      .name_size = static_cast<std::uint32_t>(name.size()) & kMaxNameSize,
                      .sensitive = sensitive});
  if (needed > text_.capacity()) {
    // Name and value may be views of this object, so the old text stays until they are copied.
    std::string grown;
    grown.reserve(std::max(needed, 2 * text_.capacity()));
    grown.append(text_).append(name).append(value);
    text_.swap(grown);
  } else {
    text_.append(name).append(value);
  }
}

void Fields::set(std::string_view name, std::string_view value) {
  std::size_t kept = 0;
  while (kept < size() && (*this)[kept].name != name) ++kept;
  if (kept == size()) return add(name, value);

  Entry& entry = entries_[kept];
  const std::size_t old_size = entry.value_size;
  PERCH_CHECK(text_.size() - old_size + value.size() <= INT32_MAX);
  const auto new_size = static_cast<std::uint32_t>(value.size());
  text_.replace(entry.offset + entry.name_size, old_size, value);
  entry.value_size = new_size;
  for (std::size_t i = kept + 1; i < size(); ++i) {
    entries_[i].offset = static_cast<std::uint32_t>(entries_[i].offset - old_size + new_size);
  }
  remove_from(kept + 1, std::string((*this)[kept].name));
}

std::size_t Fields::remove(std::string_view name) { return remove_from(0, std::string(name)); }

// The text of the lines lies in their order and without gaps, before and after.
std::size_t Fields::remove_from(std::size_t first, const std::string& name) {
  std::size_t kept = first;
  std::size_t end = first < size() ? entries_[first].offset : text_.size();
  for (std::size_t i = first; i < size(); ++i) {
    Entry entry = entries_[i];
    if ((*this)[i].name == name) continue;
    const std::size_t bytes = std::size_t{entry.name_size} + entry.value_size;
    std::memmove(text_.data() + end, text_.data() + entry.offset, bytes);
    entry.offset = static_cast<std::uint32_t>(end);
    entries_[kept++] = entry;
    end += bytes;
  }
  const std::size_t removed = size() - kept;
  entries_.resize(kept);
  text_.resize(end);
  return removed;
}

void Fields::clear() {
  entries_.clear();
  text_.clear();
}

std::optional<std::string_view> Fields::get(std::string_view name) const {
  const char* text = text_.data();
  for (const Entry& entry : entries_) {
    if (entry.name_size != name.size()) continue;
    const char* at = text + entry.offset;
    if (std::string_view(at, name.size()) != name) continue;
    return std::string_view(at + entry.name_size, entry.value_size);
  }
  return std::nullopt;
}

std::optional<std::string> Fields::joined(std::string_view name) const {
  std::optional<std::string> all;
  for (const Field& field : *this) {
    if (field.name != name) continue;
    if (all) {
      all->append(", ").append(field.value);
    } else {
      all.emplace(field.value);
    }
  }
  return all;
}

bool valid_field(std::string_view name, std::string_view value) {
  if (name.empty()) return false;
  for (char c : name) {
    if (!kNameCharacters[static_cast<unsigned char>(c)]) return false;
  }
  if (value.empty()) return true;
  return !is_blank(value.front()) && !is_blank(value.back()) && !has_line_end(value);
}

}  // namespace perch::http
