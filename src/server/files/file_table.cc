#include "server/files/file_table.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

#include "perch/memory/account.h"

namespace perch::server {
namespace {

// Not seeded: a client can make no more entries collide than there are files and `missing` ones.
std::size_t hash_of(std::string_view path) { return std::hash<std::string_view>{}(path); }

std::size_t kept_bytes(const Representation& form) {
  return form.heads.ok.bytes() + form.heads.not_modified.bytes() +
         (form.file != nullptr ? sizeof(SharedFile) : 0);
}

void account(const FileEntry& entry, int sign) {
  memory::account(memory::MemoryClass::kFileCache,
                  sign * static_cast<std::int64_t>(entry.overhead_bytes()));
}

}  // namespace

std::size_t FileEntry::body_bytes() const {
  std::size_t bytes = body.size();
  for (const Sibling& sibling : siblings) {
    if (sibling.form != nullptr) bytes += sibling.form->body.size();
  }
  return bytes;
}

std::size_t FileEntry::descriptors() const {
  std::size_t count = kind == Kind::kStreamed ? 1 : 0;
  for (const Sibling& sibling : siblings) {
    if (sibling.form != nullptr && sibling.form->file != nullptr) ++count;
  }
  return count;
}

std::size_t FileEntry::overhead_bytes() const {
  std::size_t bytes = sizeof(FileEntry) + path.capacity() + kept_bytes(*this) +
                      siblings.capacity() * sizeof(Sibling);
  for (const Sibling& sibling : siblings) {
    if (sibling.form != nullptr) bytes += sizeof(Representation) + kept_bytes(*sibling.form);
  }
  return bytes;
}

FileTable::FileTable(const Limits& limits)
    : limits_(limits), buckets_(std::bit_ceil(std::max<std::size_t>(limits.entries, 1))) {}

FileTable::~FileTable() {
  while (!used_.empty()) erase(used_.front());
}

FileEntry* FileTable::find(std::string_view path) {
  const std::size_t hash = hash_of(path);
  for (FileEntry* entry = bucket(hash).get(); entry != nullptr; entry = entry->next.get()) {
    if (entry->hash == hash && entry->path == path) return entry;
  }
  return nullptr;
}

void FileTable::use(FileEntry& entry) {
  static_cast<ListLink<UseTag>&>(entry).unlink();
  used_.push_back(entry);
  if (entry.kind != FileEntry::Kind::kMissing &&
      static_cast<ListLink<KindTag>&>(entry).is_linked()) {
    static_cast<ListLink<KindTag>&>(entry).unlink();
    open_.push_back(entry);
  }
}

void FileTable::insert(std::unique_ptr<FileEntry> owned) {
  FileEntry& entry = *owned;
  entry.hash = hash_of(entry.path);
  std::unique_ptr<FileEntry>& first = bucket(entry.hash);
  entry.next = std::move(first);
  first = std::move(owned);

  used_.push_back(entry);
  ++entries_;
  body_bytes_ += entry.body_bytes();
  if (const std::size_t descriptors = entry.descriptors(); descriptors > 0) {
    open_.push_back(entry);
    open_count_ += descriptors;
  } else if (entry.kind == FileEntry::Kind::kMissing) {
    missing_.push_back(entry);
    ++missing_count_;
  }
  account(entry, 1);
  evict();
}

void FileTable::erase(FileEntry& entry) {
  account(entry, -1);
  static_cast<ListLink<UseTag>&>(entry).unlink();
  static_cast<ListLink<KindTag>&>(entry).unlink();
  --entries_;
  body_bytes_ -= entry.body_bytes();
  open_count_ -= entry.descriptors();
  if (entry.kind == FileEntry::Kind::kMissing) --missing_count_;

  std::unique_ptr<FileEntry>* link = &bucket(entry.hash);
  while (link->get() != &entry) link = &(*link)->next;
  std::unique_ptr<FileEntry> owned = std::move(*link);
  *link = std::move(owned->next);
}

void FileTable::erase_open_files() {
  while (!open_.empty()) erase(open_.front());
}

void FileTable::evict() {
  while (missing_count_ > limits_.missing) erase(missing_.front());
  while (open_count_ > limits_.open_files) erase(open_.front());
  while (entries_ > limits_.entries || body_bytes_ > limits_.body_bytes) erase(used_.front());
}

}  // namespace perch::server
