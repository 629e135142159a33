#include "perchd/self_signed_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "perch/tls/self_signed.h"
#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

using std::chrono::days;
using std::chrono::system_clock;

const std::vector<std::string> kNames = {"localhost", "127.0.0.1", "::1"};

constexpr std::string_view kBegin =
    "TLS: no certificate is configured, so a self-signed one is used, which clients do not trust "
    "by "
    "themselves; ";

TEST(SelfSigned, IsMadeOnceAndKept) {
  const testing::Folder folder;
  const std::string directory = folder.path("state/perchd");
  const auto first = self_signed_certificate(kNames, directory, system_clock::now());
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->remark, std::string(kBegin) + "it was made now and is kept in " + directory +
                               "/self-signed.pem");
  struct stat status;
  ASSERT_EQ(::stat((directory + "/self-signed.pem").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);

  const auto again = self_signed_certificate(kNames, directory, system_clock::now());
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->remark, std::string(kBegin) + "it was made earlier and is kept in " + directory +
                               "/self-signed.pem");
  EXPECT_EQ(again->files.chain, first->files.chain);
  const auto context = tls::ServerContext::create({.certificates = {again->files}});
  ASSERT_TRUE(context.has_value()) << context.error().message();
  EXPECT_TRUE((*context)->names_cover("[::1]:8443"));
}

TEST(SelfSigned, IsMadeAnewWhenItHasThirtyDaysLeft) {
  const testing::Folder folder;
  const auto first = self_signed_certificate(kNames, folder.path(), system_clock::now());
  const auto later =
      self_signed_certificate(kNames, folder.path(), system_clock::now() + days(397 - 31));
  EXPECT_EQ(later->files.chain, first->files.chain);
  const auto last =
      self_signed_certificate(kNames, folder.path(), system_clock::now() + days(397 - 30));
  EXPECT_NE(last->files.chain, first->files.chain);
}

TEST(SelfSigned, IsMadeAnewForANameThatItLacks) {
  const testing::Folder folder;
  const auto first = self_signed_certificate(kNames, folder.path(), system_clock::now());
  const auto more =
      self_signed_certificate({"localhost", "perch.test"}, folder.path(), system_clock::now());
  EXPECT_NE(more->files.chain, first->files.chain);
  // It takes the place of the first.
  const auto again = self_signed_certificate({"perch.test"}, folder.path(), system_clock::now());
  EXPECT_EQ(again->files.chain, more->files.chain);
}

TEST(SelfSigned, IsMadeAnewWhenTheFileIsDamaged) {
  const testing::Folder folder;
  folder.write("self-signed.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  const auto made = self_signed_certificate(kNames, folder.path(), system_clock::now());
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(tls::ServerContext::create({.certificates = {made->files}}).has_value());
}

TEST(SelfSigned, LivesInMemoryWhereItCannotBeKept) {
  const testing::Folder folder;
  const std::string file = folder.write("file", "");
  const auto made = self_signed_certificate(kNames, file + "/state", system_clock::now());
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(made->remark, std::string(kBegin) +
                              "it lives in memory until perchd ends, since it cannot be kept: " +
                              file + "/state: Not a directory");
  EXPECT_TRUE(tls::ServerContext::create({.certificates = {made->files}}).has_value());
  EXPECT_EQ(
      self_signed_certificate(kNames, "", system_clock::now())->remark,
      std::string(kBegin) +
          "it lives in memory until perchd ends, since there is no state directory (see STATE "
          "DIRECTORY in perchd(1))");
}

TEST(SelfSigned, CoversTheHostsOfTheHttpsListeners) {
  EXPECT_EQ(self_signed_names(
                {"http://a.test", "https://b.test:8443", "https://[::1]", "https://B.test:1"}),
            (std::vector<std::string>{"localhost", "127.0.0.1", "::1", "b.test"}));
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(self_signed_names({"https://*"}).back(), host);
}

}  // namespace
}  // namespace perch::perchd
