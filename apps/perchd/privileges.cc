#include "perchd/privileges.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <cerrno>

#include <fmt/format.h>

namespace perch::perchd {
namespace {

constexpr std::size_t kRecordBytes = 64 * 1024;  // of one line of passwd or group

ConfigError mistake(std::string_view key, const std::string& name, std::string_view expected) {
  return {fmt::format("process.{}", key), fmt::format("{:?} is not known on this machine", name),
          std::string(expected)};
}

Error failed(std::string_view what) { return Error::from_errno(errno, what); }

bool is_now(const Identity& identity) {
  uid_t real = 0, effective = 0, saved = 0;
  gid_t real_group = 0, effective_group = 0, saved_group = 0;
  return ::getresuid(&real, &effective, &saved) == 0 &&
         ::getresgid(&real_group, &effective_group, &saved_group) == 0 && real == identity.uid &&
         effective == identity.uid && saved == identity.uid && real_group == identity.gid &&
         effective_group == identity.gid && saved_group == identity.gid;
}

}  // namespace

std::expected<std::optional<Identity>, ConfigError> find_identity(const Process& process) {
  if (process.user.empty() && process.group.empty()) return std::nullopt;
  if (process.user.empty()) {
    return std::unexpected(ConfigError{"process.group", "is set without process.user",
                                       "expected process.user as well"});
  }
  std::string buffer(kRecordBytes, '\0');
  passwd user{};
  passwd* found_user = nullptr;
  if (::getpwnam_r(process.user.c_str(), &user, buffer.data(), buffer.size(), &found_user) != 0 ||
      found_user == nullptr) {
    return std::unexpected(mistake("user", process.user, "expected the name of a user"));
  }
  Identity identity{.user = process.user, .uid = user.pw_uid, .gid = user.pw_gid, .groups = {}};
  if (!process.group.empty()) {
    std::string group_buffer(kRecordBytes, '\0');
    group group{};
    struct group* found_group = nullptr;
    if (::getgrnam_r(process.group.c_str(), &group, group_buffer.data(), group_buffer.size(),
                     &found_group) != 0 ||
        found_group == nullptr) {
      return std::unexpected(mistake("group", process.group, "expected the name of a group"));
    }
    identity.gid = group.gr_gid;
  }
  int count = 64;
  identity.groups.resize(static_cast<std::size_t>(count));
  while (::getgrouplist(process.user.c_str(), identity.gid, identity.groups.data(), &count) < 0) {
    identity.groups.resize(static_cast<std::size_t>(count));
  }
  identity.groups.resize(static_cast<std::size_t>(count));
  return identity;
}

// The groups first: afterwards the process may not change them any more.
Result<void> become(const Identity& identity) {
  if (is_now(identity)) return {};
  if (::geteuid() != 0) {
    return std::unexpected(
        Error(ErrorCode::kPermissionDenied,
              fmt::format("cannot become {}: perchd was not started as root", identity.user),
              Fault::kSystem));
  }
  if (::setgroups(identity.groups.size(), identity.groups.data()) != 0) {
    return std::unexpected(failed("setgroups"));
  }
  if (::setresgid(identity.gid, identity.gid, identity.gid) != 0) {
    return std::unexpected(failed("setresgid"));
  }
  if (::setresuid(identity.uid, identity.uid, identity.uid) != 0) {
    return std::unexpected(failed("setresuid"));
  }
  // A kernel or a sandbox that lets these calls succeed without effect would leave us root.
  const bool way_back = identity.uid != 0 && (::setuid(0) == 0 || ::seteuid(0) == 0);
  if (way_back || !is_now(identity)) {
    return std::unexpected(Error(ErrorCode::kSystem,
                                 fmt::format("privileges remain after becoming {}", identity.user),
                                 Fault::kSystem));
  }
  return {};
}

}  // namespace perch::perchd
