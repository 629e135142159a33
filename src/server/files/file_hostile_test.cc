// No way out of the root, and nothing but regular files.
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "server/files/file_test_support.h"

namespace perch::server {
namespace {

namespace fs = std::filesystem;

class HostileTest : public FileCacheTest {
 protected:
  HostileTest() {
    write_file(outside_ / "secret", "secret");
    write_file(directory_ / "public/page", "page");
  }
  TemporaryDirectory outside_;
};

TEST_F(HostileTest, PathsThatClimb) {
  const std::string name = fs::path(outside_.string()).filename();
  for (std::string target :
       {"/../" + name + "/secret", "/%2e%2e/" + name + "/secret", "/..%2f" + name + "/secret",
        "/public/../../" + name + "/secret", "//../" + name + "/secret",
        "/public/%2E%2e/%2e./" + name + "/secret"}) {
    EXPECT_EQ(status(target), 400) << target;
  }
  for (std::string target : {"/..\\" + name + "\\secret", "/%252e%252e/" + name + "/secret",
                             "/%c0%ae%c0%ae/" + name + "/secret", "/.../" + name + "/secret",
                             outside_.string() + "/secret", "/" + outside_.string() + "/secret"}) {
    EXPECT_EQ(status(target), 404) << target;
  }
  EXPECT_EQ(status("/public/../public/page"), 200);
}

TEST_F(HostileTest, NulAndOddBytes) {
  EXPECT_EQ(status("/public/page%00.html"), 400);
  EXPECT_EQ(status("/%00"), 400);
  EXPECT_EQ(status("/public/page%00", Method::kGet, {{"range", "bytes=0-1"}}), 400);
  EXPECT_EQ(status("/public/page%0a"), 404);
  EXPECT_EQ(status("/\xff\xfe"), 404);
  EXPECT_EQ(status("/" + std::string(300, 'a')), 404);  // ENAMETOOLONG
  EXPECT_EQ(status("/" + std::string(10'000, 'a')), 404);
}

TEST_F(HostileTest, SymbolicLinksOutOfTheRoot) {
  fs::create_symlink(outside_ / "secret", directory_ / "absolute");
  fs::create_symlink(fs::path("..") / fs::path(outside_.string()).filename() / "secret",
                     directory_ / "relative");
  fs::create_directory_symlink(outside_.string(), directory_ / "directory");
  fs::create_symlink("/", directory_ / "slash");
  fs::create_symlink("loop", directory_ / "loop");
  // Absolute targets are refused even where they lead inside.
  fs::create_symlink(directory_ / "public/page", directory_ / "inside");
  for (const char* target : {"/absolute", "/relative", "/directory", "/directory/secret", "/slash",
                             "/slash/etc/passwd", "/loop", "/inside"}) {
    EXPECT_EQ(status(target), 404) << target;
  }
}

TEST_F(HostileTest, SymbolicLinksWithinTheRootAreFollowed) {
  fs::create_symlink("public/page", directory_ / "link");
  fs::create_symlink("../public/page", directory_ / "public/up");
  EXPECT_EQ(body("/link"), "page");
  EXPECT_EQ(body("/public/up"), "page");
}

TEST_F(HostileTest, NoSymbolicLinkIsFollowedWhereNoneMayBe) {
  fs::create_symlink("public/page", directory_ / "link");
  fs::create_directory_symlink("public", directory_ / "directory");
  options_.symlinks = SymlinkPolicy::kNever;
  EXPECT_EQ(status("/link"), 404);
  EXPECT_EQ(status("/directory"), 404);
  EXPECT_EQ(status("/directory/page"), 404);
  EXPECT_EQ(body("/public/page"), "page");
  // The root itself may be one.
  fs::create_directory_symlink("public", directory_ / "root");
  const DocumentRoot root =
      DocumentRoot::open((directory_ / "root").string(), SymlinkPolicy::kNever).value();
  EXPECT_TRUE(root.open_file("page").has_value());
}

TEST_F(HostileTest, ALinkThatIsTurnedOutwardsStopsBeingServed) {
  fs::create_symlink("public/page", directory_ / "link");
  EXPECT_EQ(status("/link"), 200);
  fs::remove(directory_ / "link");
  fs::create_symlink(outside_ / "secret", directory_ / "link");
  pass(std::chrono::seconds(1));
  EXPECT_EQ(status("/link"), 404);
}

TEST_F(HostileTest, MagicLinksOfProc) {
  if (!fs::exists("/proc/self/status")) GTEST_SKIP() << "no /proc";
  const FileOptions options;
  const DocumentRoot root = DocumentRoot::open("/proc/self").value();
  FileCache cache(root, options);
  const auto status_of = [&](std::string_view target) {
    return cache.answer(make_request(target), now_).status();
  };
  EXPECT_EQ(status_of("/status"), 200);
  for (const char* target : {"/exe", "/root/etc/passwd", "/cwd/", "/cwd", "/fd/0", "/root"}) {
    EXPECT_EQ(status_of(target), 404) << target;
  }
}

TEST_F(HostileTest, WhatIsNoRegularFile) {
  ASSERT_EQ(::mkfifo((directory_ / "fifo").c_str(), 0644), 0);
  EXPECT_EQ(status("/fifo"), 404);  // and does not block

  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (directory_ / "socket").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(status("/socket"), 404);
  ::close(listener);

  const FileOptions options;
  const DocumentRoot root = DocumentRoot::open("/dev").value();
  FileCache cache(root, options);
  EXPECT_EQ(cache.answer(make_request("/null"), now_).status(), 404);
}

TEST_F(HostileTest, DotFilesAreNotServed) {
  for (const char* name :
       {".hidden", ".git/config", "public/.env", "a/.well-known/x", ".well-known/.x"}) {
    write_file(directory_ / name, "x");
    EXPECT_EQ(status(std::string("/") + name), 404) << name;
  }
  EXPECT_EQ(status("/%2egit/config"), 404);
  EXPECT_EQ(status("/public//%2Eenv"), 404);
  EXPECT_EQ(status("/.git"), 404);
  write_file(directory_ / "a.b", "x");
  EXPECT_EQ(status("/a.b"), 200);
}

TEST_F(HostileTest, WellKnownLocationsAreServed) {
  write_file(directory_ / ".well-known/security.txt", "x");
  EXPECT_EQ(status("/.well-known/security.txt"), 200);
  EXPECT_EQ(status("/.well-known"), 404);
}

TEST_F(HostileTest, AnUnreadableFileIs404) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  fs::permissions(directory_ / "public/page", fs::perms::none);
  EXPECT_EQ(status("/public/page"), 404);
}

TEST_F(HostileTest, ManySpellingsAndMissingPathsDoNotFillTheCache) {
  options_.cached_missing = 16;
  EXPECT_EQ(status("/public/page"), 200);
  std::string prefix;
  for (int i = 0; i < 500; ++i) {
    prefix += "/.";
    EXPECT_EQ(status(prefix + "/public/page"), 200);
    EXPECT_EQ(status("/missing" + std::to_string(i)), 404);
  }
  EXPECT_EQ(cache().table().entries(), 17u);
}

TEST(DocumentRoot, SaysWhatIsWrongWithTheRoot) {
  TemporaryDirectory directory;
  write_file(directory / "file", "x");
  const auto missing = DocumentRoot::open((directory / "none").string());
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  EXPECT_NE(missing.error().message().find("root " + (directory / "none").string()),
            std::string::npos);
  const auto file = DocumentRoot::open((directory / "file").string());
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().message(), "root " + (directory / "file").string() + ": not a directory");
}

}  // namespace
}  // namespace perch::server
