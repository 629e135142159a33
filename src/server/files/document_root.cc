#include "server/files/document_root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace perch::server {
namespace {

// RESOLVE_BENEATH answers EAGAIN when a rename elsewhere raced with a ".." of a symbolic link.
constexpr int kAttempts = 8;

int open_beneath(int directory, const char* path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = resolve;
  for (int attempt = 1;; ++attempt) {
    const long number = ::syscall(SYS_openat2, directory, path, &how, sizeof how);
    const bool again = number < 0 && (errno == EAGAIN || errno == EINTR);
    if (!again || attempt == kAttempts) return static_cast<int>(number);
  }
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

FileIdentity identity_of(const struct stat& status) {
  return {.device = status.st_dev,
          .inode = status.st_ino,
          .size = status.st_size,
          .modified_ns = nanoseconds(status.st_mtim),
          .changed_ns = nanoseconds(status.st_ctim)};
}

OpenFailure failure_of(int system_error) {
  switch (system_error) {
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return OpenFailure::kNoDescriptors;
    case EIO:
    case EAGAIN:
    case EINTR:
    case ENOSYS:
      return OpenFailure::kFailed;
    default:
      // Absent, forbidden, outside the root, a loop, a name too long, a socket: all the same to
      // the client.
      return OpenFailure::kMissing;
  }
}

}  // namespace

FileIdentity identify(int descriptor) {
  struct stat status{};
  return ::fstat(descriptor, &status) == 0 ? identity_of(status) : FileIdentity{};
}

Result<DocumentRoot> DocumentRoot::open(const std::string& directory, SymlinkPolicy symlinks) {
  net::UniqueFd opened(::open(directory.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) {
    const int why = errno;
    if (why == ENOTDIR) {
      return std::unexpected(
          Error(ErrorCode::kInvalidArgument, "root " + directory + ": not a directory"));
    }
    return std::unexpected(Error::from_errno(why, "root " + directory));
  }
  const std::uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
                                (symlinks == SymlinkPolicy::kNever ? RESOLVE_NO_SYMLINKS : 0);
  // Says at the start, not at the first request, that the kernel cannot do it.
  const net::UniqueFd probe(open_beneath(opened.get(), ".", O_PATH, resolve));
  if (probe.get() < 0) {
    const int why = errno;
    if (why == ENOSYS || why == EPERM) {
      return std::unexpected(Error(ErrorCode::kUnsupported,
                                   "openat2 is not available: serving files needs Linux 5.6",
                                   Fault::kSystem));
    }
    return std::unexpected(Error::from_errno(why, "root " + directory));
  }
  return DocumentRoot(std::move(opened), resolve);
}

std::expected<OpenedFile, OpenFailure> DocumentRoot::open_file(const std::string& path) const {
  return open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

std::expected<OpenedFile, OpenFailure> DocumentRoot::look_at(const std::string& path) const {
  return open(path, O_PATH);
}

std::expected<OpenedFile, OpenFailure> DocumentRoot::open(const std::string& path,
                                                          std::uint64_t flags) const {
  OpenedFile file;
  file.descriptor = net::UniqueFd(open_beneath(directory_.get(), path.c_str(), flags, resolve_));
  if (file.descriptor.get() < 0) return std::unexpected(failure_of(errno));
  struct stat status{};
  if (::fstat(file.descriptor.get(), &status) != 0) return std::unexpected(OpenFailure::kFailed);
  if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    return std::unexpected(OpenFailure::kMissing);
  }
  file.type = S_ISDIR(status.st_mode) ? FileType::kDirectory : FileType::kRegular;
  file.identity = identity_of(status);
  return file;
}

}  // namespace perch::server
