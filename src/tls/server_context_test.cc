// Reading certificates: what is accepted, and what an administrator is told otherwise.
#include "perch/tls/server_context.h"

#include <gtest/gtest.h>
#include <openssl/ocsp.h>

#include "perch/tls/self_signed.h"
#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using testing::Authority;
using testing::Folder;
using testing::localhost_context;
using testing::Pair;

class Loading : public ::testing::Test {
 protected:
  std::string error_of(const CertificateFiles& files) const {
    const auto context = ServerContext::create({.certificates = {files}});
    return context.has_value() ? "" : context.error().message();
  }
  Folder folder_;
  Authority authority_;
  CertificateFiles good_ = folder_.write("good", authority_.issue({.names = {"good.example"}}));
};

TEST_F(Loading, ErrorsNameTheFileAndTheReason) {
  EXPECT_EQ(ServerContext::create({}).error().message(), "TLS needs a certificate");
  const std::string missing = folder_.path("missing.pem");
  EXPECT_EQ(error_of({.chain = missing, .key = good_.key}),
            missing + ": No such file or directory");
  EXPECT_EQ(error_of({.chain = good_.chain, .key = missing}),
            missing + ": No such file or directory");
  const std::string text = folder_.write("text", "hello");
  EXPECT_EQ(error_of({.chain = text, .key = good_.key}), text + ": holds no certificate in PEM");
  EXPECT_EQ(error_of({.chain = good_.chain, .key = text}), text + ": holds no private key in PEM");
  const std::string other = folder_.write("other", authority_.issue({})).key;
  EXPECT_EQ(error_of({.chain = good_.chain, .key = other}),
            other + ": the key does not belong to the certificate in " + good_.chain);
  EXPECT_EQ(error_of({.chain = good_.chain, .key = good_.key, .ocsp_response = text}),
            text + ": is not an OCSP response in DER");
  const std::string damaged =
      folder_.write("damaged", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  EXPECT_TRUE(error_of({.chain = damaged, .key = good_.key})
                  .starts_with(damaged + ": damaged certificate: "));
}

TEST_F(Loading, AnEncryptedKeyIsNotAskedAbout) {
  const std::string locked =
      folder_.write("locked",
                    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
                    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgvN0ZrYv3YTgICCAAw\n"
                    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEKx3cqM0c0Fh9mPHpxlpQlEEgZCt\n"
                    "-----END ENCRYPTED PRIVATE KEY-----\n");
  const std::string message = error_of({.chain = good_.chain, .key = locked});
  EXPECT_TRUE(message.starts_with(locked + ": ")) << message;
}

TEST_F(Loading, AClientAuthorityThatCannotBeReadIsAnError) {
  const std::string missing = folder_.path("ca.pem");
  const auto context = ServerContext::create({.certificates = {good_},
                                              .client_certificates = ClientCertificates::kRequire,
                                              .client_ca_file = missing});
  ASSERT_FALSE(context.has_value());
  EXPECT_EQ(context.error().message(), missing + ": No such file or directory");
}

TEST_F(Loading, OddCertificatesWorkButWarn) {
  const auto expired = folder_.write(
      "expired", authority_.issue({.names = {"a"}, .valid_from = -7200, .valid_until = -3600}));
  const auto early = folder_.write("early", authority_.issue({.names = {"b"}, .valid_from = 3000}));
  const auto nameless = folder_.write("nameless", authority_.issue({}));
  const auto context = ServerContext::create({.certificates = {good_, expired, early, nameless}});
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ((*context)->warnings(),
            (std::vector<std::string>{
                expired.chain + ": the certificate has expired",
                early.chain + ": the certificate is not valid yet",
                nameless.chain + ": the certificate has no subject alternative names, so clients "
                                 "will not accept it"}));
}

TEST_F(Loading, TheWholeChainIsSent) {
  const auto leaf = authority_.issue({.common_name = "leaf", .names = {"localhost"}});
  const auto files = folder_.write("leaf", leaf);
  folder_.write("leaf.pem", leaf.certificate_pem() + authority_.pem());
  Pair pair(localhost_context([&](auto& options) { options.certificates = {files}; }));
  pair.exchange();
  EXPECT_EQ(sk_X509_num(SSL_get_peer_cert_chain(pair.client.ssl())), 2);
  EXPECT_EQ(pair.client.peer_name(), "leaf");
}

TEST_F(Loading, AStapleIsDeliveredToThoseWhoAsk) {
  OCSP_RESPONSE* response = OCSP_response_create(OCSP_RESPONSE_STATUS_TRYLATER, nullptr);
  unsigned char* der = nullptr;
  const int size = i2d_OCSP_RESPONSE(response, &der);
  ASSERT_GT(size, 0);
  const std::string staple(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  OCSP_RESPONSE_free(response);
  CertificateFiles files = good_;
  files.ocsp_response = folder_.write("staple.der", staple);
  const auto context =
      localhost_context([&](auto& options) { options.certificates.push_back(files); });
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    Pair asks(context,
              {.max_version = version, .server_name = "good.example", .wants_staple = true});
    asks.exchange();
    EXPECT_EQ(asks.client.staple(), staple);
    Pair silent(context, {.max_version = version, .server_name = "good.example"});
    silent.exchange();
    EXPECT_EQ(silent.client.staple(), "");
    Pair other(context, {.max_version = version, .wants_staple = true});
    other.exchange();
    EXPECT_EQ(other.client.staple(), "") << "the default certificate has none";
  }
}

TEST_F(Loading, OldConnectionsKeepTheirContext) {
  auto context = localhost_context();
  Pair pair(context);
  pair.exchange();
  const std::weak_ptr<const ServerContext> watch = context;
  context.reset();
  EXPECT_FALSE(watch.expired());
  pair.client.send("still here");
  pair.exchange();
  EXPECT_EQ(pair.received, "still here");
}

TEST_F(Loading, NamesCoverAuthorities) {
  const auto files =
      folder_.write("many", authority_.issue({.names = {"Example.com", "*.example.com", "192.0.2.1",
                                                        "2001:db8::1", "*.org"}}));
  const auto context = ServerContext::create({.certificates = {good_, files}});
  ASSERT_TRUE(context.has_value());
  const ServerContext& names = **context;
  for (const char* authority :
       {"example.com", "EXAMPLE.com:443", "example.com.", "www.example.com:8443", "192.0.2.1",
        "192.0.2.1:80", "[2001:db8::1]", "[2001:0DB8::0:1]:443", "good.example"}) {
    EXPECT_TRUE(names.names_cover(authority)) << authority;
  }
  for (const char* authority :
       {"", ":443", "a.b.example.com", ".example.com", "example.org", "192.0.2.2", "[2001:db8::2]",
        "[2001:db8::1", "[2001:db8::1]x", "[192.0.2.1]", "example.com:http", "user@example.com",
        "*.example.com.evil", "2001:db8::1"}) {
    EXPECT_FALSE(names.names_cover(authority)) << authority;
  }
  EXPECT_TRUE(names.certificate_covers(0, "good.example"));
  EXPECT_FALSE(names.certificate_covers(0, "example.com"));
  EXPECT_TRUE(names.certificate_covers(1, "example.com"));
}

TEST_F(Loading, SelfSignedForAFirstRun) {
  const auto made = make_self_signed();
  ASSERT_TRUE(made.has_value());
  const CertificateFiles files{.chain = folder_.write("self.pem", made->certificate),
                               .key = folder_.write("self.key", made->key)};
  const auto context = ServerContext::create({.certificates = {files}});
  ASSERT_TRUE(context.has_value()) << context.error().message();
  EXPECT_TRUE((*context)->warnings().empty());
  for (const char* authority : {"localhost:8443", "127.0.0.1:8443", "[::1]:8443"}) {
    EXPECT_TRUE((*context)->names_cover(authority)) << authority;
  }
  Pair pair(*context, {.server_name = "localhost"});
  pair.exchange();
  EXPECT_EQ(pair.server.state(), Connection::State::kOpen);
  EXPECT_EQ(pair.client.peer_name(), "localhost");
}

TEST_F(Loading, SelfSignedRefusesWhatIsNoName) {
  for (const char* name : {"", "a,DNS:b", "a b", "host:80", "a\nb", "@section"}) {
    EXPECT_FALSE(make_self_signed({.names = {name}}).has_value()) << name;
  }
  EXPECT_FALSE(make_self_signed({.names = {}}).has_value());
}

}  // namespace
}  // namespace perch::tls
