#include "perchd/state_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "perch/net/unique_fd.h"

namespace perch::perchd {
namespace {

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == 0 || slash == std::string::npos ? std::string() : path.substr(0, slash);
}

}  // namespace

std::string state_directory(const Environment& environment, bool root) {
  const auto absolute = [&](const char* name) -> std::string {
    const char* value = environment(name);
    return value != nullptr && value[0] == '/' ? value : "";
  };
  if (std::string given = absolute("STATE_DIRECTORY"); !given.empty()) {
    return given.substr(0, given.find(':'));
  }
  if (root) return "/var/lib/perchd";
  if (const std::string base = absolute("XDG_STATE_HOME"); !base.empty()) return base + "/perchd";
  if (const std::string home = absolute("HOME"); !home.empty()) {
    return home + "/.local/state/perchd";
  }
  return {};
}

std::string state_directory() {
  return state_directory([](const char* name) { return std::getenv(name); }, ::geteuid() == 0);
}

Result<void> make_private_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) {
    struct stat status;
    if (::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode)) return {};
    return std::unexpected(Error::from_errno(ENOTDIR, path));
  }
  if (errno != ENOENT) return std::unexpected(Error::from_errno(errno, path));
  const std::string parent = parent_of(path);
  if (parent.empty()) return std::unexpected(Error::from_errno(ENOENT, path));
  if (Result<void> made = make_private_directory(parent); !made) return made;
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return std::unexpected(Error::from_errno(errno, path));
}

Result<void> write_private_file(const std::string& path, std::string_view content) {
  // In the same directory, so that the rename is atomic; a name of its own, so that two processes
  // that start at once do not write into each other's file.
  const std::string temporary = path + "." + std::to_string(::getpid());
  const auto failed = [&] {
    Error error = Error::from_errno(errno, path);
    ::unlink(temporary.c_str());
    return std::unexpected(std::move(error));
  };
  ::unlink(temporary.c_str());
  const net::UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid()) return failed();
  if (!write_all(fd.get(), content) || ::fsync(fd.get()) != 0) return failed();
  if (std::rename(temporary.c_str(), path.c_str()) != 0) return failed();
  return {};
}

}  // namespace perch::perchd
