#include "perchd/privileges.h"

#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include <gtest/gtest.h>

namespace perch::perchd {
namespace {

// In a process of its own: there is no way back.
int in_child(const std::function<bool()>& body) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Privileges, AreKeptWhereNobodyIsNamed) { EXPECT_FALSE(find_identity({})->has_value()); }

TEST(Privileges, MistakesNameTheSetting) {
  EXPECT_EQ(
      to_string(
          find_identity({.user = "no-such-user", .group = "", .state_directory = ""}).error()),
      "process.user: \"no-such-user\" is not known on this machine; expected the name of a user");
  EXPECT_EQ(
      to_string(find_identity({.user = "nobody", .group = "no-such-group", .state_directory = ""})
                    .error()),
      "process.group: \"no-such-group\" is not known on this machine; expected the name of a "
      "group");
  EXPECT_EQ(
      to_string(find_identity({.user = "", .group = "nogroup", .state_directory = ""}).error()),
      "process.group: is set without process.user; expected process.user as well");
}

TEST(Privileges, OfRootAreGivenUpForGood) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const auto identity =
      find_identity({.user = "nobody", .group = "nogroup", .state_directory = ""});
  ASSERT_TRUE(identity.has_value() && identity->has_value());
  EXPECT_EQ(in_child([&] {
              if (!become(**identity)) return false;
              gid_t groups[64];
              const int count = ::getgroups(64, groups);
              for (int i = 0; i < count; ++i) {
                if (groups[i] == 0) return false;
              }
              return ::getuid() != 0 && ::getegid() != 0 && ::setuid(0) != 0 &&
                     become(**identity).has_value();  // is that user already
            }),
            0);
}

TEST(Privileges, OfAnotherUserCannotBeChanged) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  const auto nobody = find_identity({.user = "nobody", .group = "", .state_directory = ""});
  const auto daemon = find_identity({.user = "daemon", .group = "", .state_directory = ""});
  EXPECT_EQ(in_child([&] {
              if (!become(**nobody)) return false;
              const auto wrong = become(**daemon);
              return !wrong && wrong.error().message() ==
                                   "cannot become daemon: perchd was not started as root";
            }),
            0);
}

}  // namespace
}  // namespace perch::perchd
