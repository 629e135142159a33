// Header or trailer fields: an ordered multimap of lower-case names to values (RFC 9110 section 5).
//
// All text lies in one buffer, so that a Fields that is cleared and filled again allocates nothing.
// Views handed out are valid until the next change of the object.
// Thread-safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace perch::http {

struct Field {
  std::string_view name;
  std::string_view value;
  bool sensitive = false;  // never put into a compression table (RFC 7541 section 7.1.3)
};

class Fields {
 public:
  class Iterator;

  // Appends a field line. REQUIRES: `name` is lower-case. Neither name nor value is validated here:
  // protocol engines validate what they receive, and `valid_field` tells for what is sent.
  void add(std::string_view name, std::string_view value, bool sensitive = false);
  // Replaces all lines of that name by one.
  void set(std::string_view name, std::string_view value);
  // Removes all lines of that name; returns how many there were.
  std::size_t remove(std::string_view name);
  // Keeps the capacity.
  void clear();

  // The first line of that name.
  std::optional<std::string_view> get(std::string_view name) const;
  bool contains(std::string_view name) const { return get(name).has_value(); }
  // All values of that name joined by ", " (RFC 9110 section 5.3), or nothing.
  std::optional<std::string> joined(std::string_view name) const;

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  Field operator[](std::size_t index) const;
  Iterator begin() const;
  Iterator end() const;

  // Bytes of names and values, without any per-field charge.
  std::size_t text_bytes() const { return text_.size(); }
  // Bytes kept allocated.
  std::size_t capacity_bytes() const {
    return text_.capacity() + entries_.capacity() * sizeof(Entry);
  }

 private:
  static constexpr std::uint32_t kMaxNameSize = 0x7fffffff;
  struct Entry {
    std::uint32_t offset;
    std::uint32_t value_size;
    std::uint32_t name_size : 31;
    std::uint32_t sensitive : 1;
  };
  std::size_t remove_from(std::size_t first, const std::string& name);

  std::vector<Entry> entries_;
  std::string text_;
};

class Fields::Iterator {
 public:
  Iterator(const Fields* fields, std::size_t index) : fields_(fields), index_(index) {}
  Field operator*() const { return (*fields_)[index_]; }
  Iterator& operator++() {
    ++index_;
    return *this;
  }
  friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  const Fields* fields_;
  std::size_t index_;
};

inline Field Fields::operator[](std::size_t index) const {
  const Entry& entry = entries_[index];
  const char* text = text_.data() + entry.offset;
  return {
      {text, entry.name_size}, {text + entry.name_size, entry.value_size}, entry.sensitive != 0};
}
inline Fields::Iterator Fields::begin() const { return {this, 0}; }
inline Fields::Iterator Fields::end() const { return {this, entries_.size()}; }

// True when `name` is a lower-case token and `value` has no NUL, CR, LF and no blank at either end
// (RFC 9113 section 8.2.1). A leading ":" makes a name invalid.
bool valid_field(std::string_view name, std::string_view value);

}  // namespace perch::http
