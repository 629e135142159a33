// What is agreed on: versions, ciphers, protocols, certificates; and what is refused.
#include <gtest/gtest.h>

#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using State = Connection::State;
using testing::Authority;
using testing::ClientOptions;
using testing::Folder;
using testing::Issued;
using testing::KeyKind;
using testing::localhost_context;
using testing::Pair;

void expect_refused(Pair& pair, Alert alert) {
  pair.exchange();
  ASSERT_EQ(pair.server.state(), State::kFailed);
  EXPECT_EQ(pair.server.failure()->alert, alert)
      << to_string(pair.server.failure()->alert) << ": " << pair.server.failure()->reason;
  EXPECT_FALSE(pair.server.failure()->by_peer);
  EXPECT_FALSE(pair.server.failure()->reason.empty());
  EXPECT_EQ(pair.client.alert_received(), alert);
}

TEST(Ciphers, EachSuiteOfTls13) {
  for (const char* suite :
       {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"}) {
    Pair pair(localhost_context(), {.suites13 = suite});
    pair.exchange();
    EXPECT_EQ(pair.server.cipher(), suite);
    pair.client.send("a");
    pair.exchange();
    EXPECT_EQ(pair.received, "a");
  }
}

TEST(Ciphers, EachSuiteOfTls12WithEitherKindOfKey) {
  const Folder folder;
  const Authority authority;
  for (const KeyKind kind : {KeyKind::kEcdsa, KeyKind::kRsa}) {
    const std::string key = kind == KeyKind::kRsa ? "RSA" : "ECDSA";
    const auto context = localhost_context([&](auto& options) {
      options.certificates = {
          folder.write(key, authority.issue({.names = {"localhost"}, .key = kind}))};
    });
    for (const auto& [name, standard] : std::initializer_list<std::pair<std::string, std::string>>{
             {"AES128-GCM-SHA256", "AES_128_GCM_SHA256"},
             {"AES256-GCM-SHA384", "AES_256_GCM_SHA384"},
             {"CHACHA20-POLY1305", "CHACHA20_POLY1305_SHA256"}}) {
      Pair pair(context, {.max_version = TLS1_2_VERSION,
                          .ciphers12 = "ECDHE-" + key + "-" + name + ":@SECLEVEL=0"});
      pair.exchange();
      EXPECT_EQ(pair.server.cipher(), "TLS_ECDHE_" + key + "_WITH_" + standard);
    }
  }
}

TEST(Ciphers, TheServerPrefersAes128UnlessTheClientPrefersChaCha) {
  Pair aes(localhost_context(), {.suites13 = "TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:"
                                             "TLS_AES_128_GCM_SHA256"});
  aes.exchange();
  EXPECT_EQ(aes.server.cipher(), "TLS_AES_128_GCM_SHA256");
  Pair chacha(localhost_context(),
              {.suites13 = "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256"});
  chacha.exchange();
  EXPECT_EQ(chacha.server.cipher(), "TLS_CHACHA20_POLY1305_SHA256");
}

TEST(Ciphers, WeakOnesAreRefused) {
  for (const char* cipher : {"AES128-SHA", "AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA",
                             "ECDHE-ECDSA-AES128-SHA256", "DHE-RSA-AES128-GCM-SHA256"}) {
    Pair pair(localhost_context(),
              {.max_version = TLS1_2_VERSION, .ciphers12 = std::string(cipher) + ":@SECLEVEL=0"});
    expect_refused(pair, Alert::kHandshakeFailure);
  }
}

TEST(Groups, AnotherOneIsAskedForByHelloRetryRequest) {
  Pair pair(localhost_context(), {.groups = "P-384:P-256"});
  pair.exchange(1);
  EXPECT_EQ(pair.server.state(), State::kOpen);
  Pair none(localhost_context(), {.groups = "P-384"});
  expect_refused(none, Alert::kHandshakeFailure);
}

TEST(Versions, OldOnesAreRefused) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    Pair pair(localhost_context(), {.min_version = version, .max_version = version});
    expect_refused(pair, Alert::kProtocolVersion);
  }
}

TEST(Versions, Tls12IsRefusedWhereTls13IsTheLeast) {
  const auto context =
      localhost_context([](auto& options) { options.min_version = Version::kTls13; });
  Pair old(context, {.max_version = TLS1_2_VERSION});
  expect_refused(old, Alert::kProtocolVersion);
  Pair fresh(context);
  fresh.exchange();
  EXPECT_EQ(fresh.server.version(), Version::kTls13);
}

TEST(Alpn, TheServersOrderDecides) {
  Pair both(localhost_context(), {.alpn = {"http/1.1", "h2"}});
  both.exchange();
  EXPECT_EQ(both.server.alpn(), "h2");
  EXPECT_EQ(both.client.alpn(), "h2");
  Pair one(localhost_context(), {.alpn = {"spdy/3", "http/1.1"}});
  one.exchange();
  EXPECT_EQ(one.server.alpn(), "http/1.1");
}

TEST(Alpn, NoneOfferedIsNotAnError) {
  Pair pair(localhost_context());
  pair.exchange();
  EXPECT_EQ(pair.server.state(), State::kOpen);
  EXPECT_EQ(pair.server.alpn(), "");
}

TEST(Alpn, NoOverlapIsRefused) {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Pair pair(localhost_context(), {.max_version = version, .alpn = {"h3", "imap", "h"}});
    expect_refused(pair, Alert::kNoApplicationProtocol);
  }
}

TEST(Certificates, AreSelectedByName) {
  const Folder folder;
  const Authority authority;
  const auto context = localhost_context([&](auto& options) {
    options.certificates = {
        folder.write("a", authority.issue({.common_name = "default", .names = {"a.example"}})),
        folder.write("b", authority.issue(
                              {.common_name = "exact", .names = {"b.example", "x.wild.example"}})),
        folder.write("c", authority.issue({.common_name = "wildcard",
                                           .names = {"*.wild.example", "*.b.example"}}))};
  });
  for (const auto& [name, expected, index] :
       std::initializer_list<std::tuple<std::string, std::string, std::size_t>>{
           {"a.example", "default", 0},
           {"", "default", 0},
           {"unknown.example", "default", 0},
           {"wild.example", "default", 0},
           {"a.b.wild.example", "default", 0},
           {"b.example", "exact", 1},
           {"B.Example", "exact", 1},
           {"x.wild.example", "exact", 1},
           {"y.wild.example", "wildcard", 2},
           {"www.b.example", "wildcard", 2}}) {
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      Pair pair(context, {.max_version = version, .server_name = name, .alpn = {"h2"}});
      pair.exchange();
      EXPECT_EQ(pair.client.peer_name(), expected) << name;
      EXPECT_EQ(pair.server.certificate_index(), index) << name;
      EXPECT_EQ(context->select(name), index) << name;
      EXPECT_EQ(pair.server.alpn(), "h2");
    }
  }
}

TEST(Certificates, TwoKindsOfKeysForTheSameNames) {
  const Folder folder;
  const Authority authority;
  const auto context = localhost_context([&](auto& options) {
    options.certificates = {
        folder.write("e", authority.issue({.common_name = "ecdsa", .names = {"localhost"}})),
        folder.write(
            "r",
            authority.issue({.common_name = "rsa", .names = {"localhost"}, .key = KeyKind::kRsa}))};
  });
  Pair modern(context);
  modern.exchange();
  EXPECT_EQ(modern.client.peer_name(), "ecdsa");
  Pair old(context, {.signature_algorithms = "rsa_pss_rsae_sha256"});
  old.exchange();
  EXPECT_EQ(old.client.peer_name(), "rsa");
  EXPECT_EQ(old.server.certificate_index(), 0U);
}

TEST(ClientCertificates, RequestedOnesMayBeMissingButNotWrong) {
  const Folder folder;
  const Authority trusted("Trusted");
  const Authority stranger("Stranger");
  const Issued good = trusted.issue({.common_name = "alice"});
  const Issued bad = stranger.issue({.common_name = "mallory"});
  const Issued expired = trusted.issue({.common_name = "old", .valid_until = -60});
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    for (const auto mode : {ClientCertificates::kRequest, ClientCertificates::kRequire}) {
      const auto context = localhost_context([&](auto& options) {
        options.client_certificates = mode;
        options.client_ca_file = folder.write("ca.pem", trusted.pem());
      });
      Pair with(context, {.max_version = version, .certificate = &good});
      with.exchange();
      EXPECT_EQ(with.server.state(), State::kOpen);
      EXPECT_EQ(with.server.peer_subject(), "CN=alice");

      ClientOptions again{.max_version = version, .certificate = &good};
      again.session = with.client.sessions().back().get();
      Pair resumed(context, again);
      resumed.exchange();
      EXPECT_TRUE(resumed.server.resumed());
      EXPECT_EQ(resumed.server.peer_subject(), "CN=alice");

      Pair wrong(context, {.max_version = version, .certificate = &bad});
      expect_refused(wrong, Alert::kUnknownCa);
      Pair late(context, {.max_version = version, .certificate = &expired});
      expect_refused(late, Alert::kCertificateExpired);
      EXPECT_EQ(late.server.failure()->reason, "certificate has expired");

      Pair without(context, {.max_version = version});
      if (mode == ClientCertificates::kRequest) {
        without.exchange();
        EXPECT_EQ(without.server.state(), State::kOpen);
        EXPECT_EQ(without.server.peer_subject(), "");
      } else {
        expect_refused(without, version == TLS1_3_VERSION ? Alert::kCertificateRequired
                                                          : Alert::kHandshakeFailure);
      }
    }
  }
}

}  // namespace
}  // namespace perch::tls
