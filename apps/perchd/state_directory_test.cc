#include "perchd/state_directory.h"

#include <sys/stat.h>

#include <map>

#include <gtest/gtest.h>

#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

std::string directory_with(const std::map<std::string, std::string>& variables, bool root = false) {
  return state_directory(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      root);
}

unsigned mode_of(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

TEST(StateDirectory, IsSystemdsBeforeAllOthers) {
  EXPECT_EQ(directory_with({{"STATE_DIRECTORY", "/var/lib/a:/var/lib/b"}, {"HOME", "/home/x"}}),
            "/var/lib/a");
  EXPECT_EQ(directory_with({{"STATE_DIRECTORY", "/var/lib/a"}}, true), "/var/lib/a");
}

TEST(StateDirectory, IsTheUsersOrRoots) {
  EXPECT_EQ(directory_with({{"HOME", "/home/x"}}), "/home/x/.local/state/perchd");
  EXPECT_EQ(directory_with({{"HOME", "/home/x"}, {"XDG_STATE_HOME", "/s"}}), "/s/perchd");
  EXPECT_EQ(directory_with({{"HOME", "/root"}}, true), "/var/lib/perchd");
}

TEST(StateDirectory, IsNoneWithoutAnAbsolutePath) {
  EXPECT_EQ(directory_with({}), "");
  EXPECT_EQ(directory_with({{"HOME", "x"}, {"XDG_STATE_HOME", ""}}), "");
}

TEST(StateDirectory, IsMadeForItsOwnerAlone) {
  const testing::Folder folder;
  const std::string path = folder.path("a/b/perchd");
  ASSERT_TRUE(make_private_directory(path).has_value());
  EXPECT_EQ(mode_of(path), 0700U);
  EXPECT_EQ(mode_of(folder.path("a")), 0700U);
  EXPECT_TRUE(make_private_directory(path).has_value());  // once more
}

TEST(StateDirectory, ErrorsNameIt) {
  const testing::Folder folder;
  const std::string file = folder.write("file", "");
  EXPECT_EQ(make_private_directory(file).error().message(), file + ": Not a directory");
  EXPECT_EQ(make_private_directory(file + "/x").error().message(), file + "/x: Not a directory");
}

TEST(PrivateFile, IsReplacedAsAWholeWithMode0600) {
  const testing::Folder folder;
  const std::string path = folder.write("key", "an older and longer content");
  ::chmod(path.c_str(), 0644);
  ASSERT_TRUE(write_private_file(path, "new").has_value());
  EXPECT_EQ(testing::Folder::read(path), "new");
  EXPECT_EQ(mode_of(path), 0600U);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(PrivateFile, ErrorsNameIt) {
  EXPECT_EQ(write_private_file("/nowhere/key", "x").error().message(),
            "/nowhere/key: No such file or directory");
}

}  // namespace
}  // namespace perch::perchd
