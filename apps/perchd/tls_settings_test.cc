#include "perchd/tls_settings.h"

#include <gtest/gtest.h>

#include "perch/tls/self_signed.h"
#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

using namespace std::chrono_literals;

class TlsSettingsTest : public ::testing::Test {
 protected:
  // A configuration with one certificate for `name`.
  Config config_for(const std::string& name) const {
    const auto made = tls::make_self_signed({.names = {name}});
    Config config;
    config.tls.certificates = {{.certificate = folder_.write(name + ".pem", made->certificate),
                                .key = folder_.write(name + ".key", made->key),
                                .ocsp_response = {},
                                .where = "perchd.toml:7:3"}};
    return config;
  }

  testing::Folder folder_;
  TlsSettings settings_{folder_.path("state")};
};

TEST_F(TlsSettingsTest, TakeTheCertificatesOfTheConfiguration) {
  const auto loaded = settings_.load(config_for("a.test"));
  ASSERT_TRUE(loaded.has_value()) << to_string(loaded.error());
  EXPECT_TRUE(loaded->context->names_cover("a.test"));
  EXPECT_TRUE(loaded->remarks.empty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path("state")));
}

TEST_F(TlsSettingsTest, WithoutAnyMakeASelfSignedOneAndKeepItThroughReloads) {
  const auto first = settings_.load(Config{});
  ASSERT_TRUE(first.has_value());
  ASSERT_EQ(first->remarks.size(), 1U);
  EXPECT_NE(first->remarks[0].find("self-signed"), std::string::npos);
  EXPECT_TRUE(first->context->names_cover("localhost"));
  // Whether or not the file is still there, or readable.
  std::filesystem::remove_all(folder_.path("state"));
  ASSERT_TRUE(settings_.load(Config{}).has_value());
  EXPECT_FALSE(std::filesystem::exists(folder_.path("state")));
}

TEST_F(TlsSettingsTest, MistakesNameTheEntryAndTheFile) {
  Config config = config_for("a.test");
  config.tls.certificates[0].key = "/nowhere/key.pem";
  EXPECT_EQ(to_string(settings_.load(config).error()),
            "perchd.toml:7:3: /nowhere/key.pem: No such file or directory; expected a certificate "
            "chain in PEM and its key");
  config = config_for("a.test");
  config.tls.client_certificates = ClientCertificates::kRequire;
  config.tls.client_ca = "/nowhere/ca.pem";
  EXPECT_EQ(
      to_string(settings_.load(config).error()),
      "tls.client_ca: /nowhere/ca.pem: No such file or directory; expected certificates in PEM");
  config = config_for("a.test");
  config.tls.ticket_keys = folder_.write("keys", "short");
  EXPECT_EQ(
      to_string(settings_.load(config).error()),
      "tls.ticket_keys: " + folder_.path("keys") +
          ": ticket keys are 1 to 3 keys of 80 bytes, not 5 bytes; expected 1 to 3 keys of 80 "
          "bytes");
}

TEST_F(TlsSettingsTest, RotateRandomTicketKeysWhenItIsTime) {
  Config config = config_for("a.test");
  config.tls.ticket_rotation = 1h;
  const Instant before = Instant::now();
  ASSERT_TRUE(settings_.load(config).has_value());
  EXPECT_GE(settings_.next_rotation().when(), before + 1h);
  EXPECT_FALSE(settings_.rotate_if_due(before + 30min));
  const Instant due = settings_.next_rotation().when();
  // A reload does not put it off.
  ASSERT_TRUE(settings_.load(config).has_value());
  EXPECT_EQ(settings_.next_rotation().when(), due);
  EXPECT_TRUE(settings_.rotate_if_due(due));
  EXPECT_EQ(settings_.next_rotation().when(), due + 1h);
}

TEST_F(TlsSettingsTest, NeverRotateKeysOfAFileNorWithoutTickets) {
  Config config = config_for("a.test");
  config.tls.ticket_keys = folder_.write("keys", std::string(160, 'k'));
  ASSERT_TRUE(settings_.load(config).has_value());
  EXPECT_TRUE(settings_.next_rotation().is_never());
  config.tls.ticket_keys = "";
  config.tls.session_tickets = false;
  ASSERT_TRUE(settings_.load(config).has_value());
  EXPECT_TRUE(settings_.next_rotation().is_never());
}

TEST_F(TlsSettingsTest, CheckMakesNothing) {
  EXPECT_TRUE(check_tls(Config{})->empty());
  EXPECT_TRUE(check_tls(config_for("a.test"))->empty());
  Config config = config_for("a.test");
  config.tls.certificates[0].certificate = "/nowhere/chain.pem";
  EXPECT_FALSE(check_tls(config).has_value());
}

TEST(ListensSecurely, WhereSomeUrlIsHttps) {
  EXPECT_TRUE(listens_securely(Config{}));
  Config config;
  config.listen = {"http://localhost"};
  EXPECT_FALSE(listens_securely(config));
}

}  // namespace
}  // namespace perch::perchd
