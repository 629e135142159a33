// The client against the library's own server, joined in memory.
#include "perch-load/tls_client.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "perch/base/bytes.h"
#include "perch/tls/connection.h"
#include "perch/tls/self_signed.h"

namespace perch::load {
namespace {

using State = TlsClient::State;

const tls::PemPair& certificate() {
  static const tls::PemPair pair = tls::make_self_signed({.names = {"localhost"}}).value();
  return pair;
}

std::string certificate_file() {
  std::string path = testing::TempDir() + "perch_load_ca.pem";
  std::ofstream(path) << certificate().certificate;
  return path;
}

std::shared_ptr<const tls::ServerContext> server_context(std::vector<std::string> alpn) {
  tls::ServerContextOptions options;
  options.certificates = {{.chain = certificate().certificate,
                           .key = certificate().key,
                           .ocsp_response = {},
                           .in_memory = true}};
  options.alpn = std::move(alpn);
  return tls::ServerContext::create(options).value();
}

TlsClientOptions trusting() {
  return {.host = "localhost", .alpn = {"h2", "http/1.1"}, .verify = false, .ca_file = {}};
}

class Joined final : public tls::Sink {
 public:
  explicit Joined(TlsClientOptions options, std::vector<std::string> alpn = {"h2", "http/1.1"})
      : server(server_context(std::move(alpn))),
        context_(TlsClientContext::create(std::move(options)).value()),
        client(*context_) {
    client.start(to_server);
  }

  // Carries bytes to and fro until both are silent, `piece` at a time.
  void exchange(std::size_t piece = SIZE_MAX) {
    while (!to_server.empty() || !to_client.empty()) {
      const auto to = std::exchange(to_server, {});
      cut(to, piece, [&](auto bytes) { server.receive(bytes, *this, to_client); });
      const auto back = std::exchange(to_client, {});
      cut(back, piece, [&](auto bytes) { client.receive(bytes, plaintext_, to_server); });
    }
  }
  std::string received_by_client() const { return std::string(as_text(plaintext_)); }

  void on_plaintext(std::span<const std::byte> plaintext) override {
    received_by_server += as_text(plaintext);
  }

  std::vector<std::byte> to_server, to_client;
  std::string received_by_server;
  tls::Connection server;

 private:
  template <class Function>
  static void cut(std::span<const std::byte> bytes, std::size_t piece, Function take) {
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(piece, bytes.size()))) {
      take(bytes.first(std::min(piece, bytes.size())));
    }
  }

  std::unique_ptr<const TlsClientContext> context_;
  std::vector<std::byte> plaintext_;

 public:
  TlsClient client;  // after its context
};

TEST(TlsClient, TellsVersionSuiteAndProtocolAndCarriesBothDirections) {
  Joined pair(trusting());
  pair.exchange();
  ASSERT_EQ(pair.client.state(), State::kOpen) << pair.client.failure();
  EXPECT_EQ(pair.client.description(), "TLSv1.3, TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(pair.client.alpn(), "h2");
  EXPECT_EQ(pair.server.server_name(), "localhost");
  pair.client.seal(as_bytes("question"), pair.to_server);
  ASSERT_TRUE(pair.server.seal(as_bytes("answer"), pair.to_client));
  pair.exchange();
  EXPECT_EQ(pair.received_by_server, "question");
  EXPECT_EQ(pair.received_by_client(), "answer");
}

TEST(TlsClient, OffersTls12OnlyWhenAsked) {
  TlsClientOptions options = trusting();
  options.max_version = tls::Version::kTls12;
  Joined pair(std::move(options));
  pair.exchange();
  ASSERT_EQ(pair.client.state(), State::kOpen);
  EXPECT_EQ(pair.client.description(), "TLSv1.2, ECDHE-ECDSA-AES128-GCM-SHA256");
  EXPECT_EQ(pair.client.alpn(), "h2");
}

TEST(TlsClient, TakesWhatTheServerChooses) {
  Joined pair(trusting(), {"http/1.1"});
  pair.exchange();
  ASSERT_EQ(pair.client.state(), State::kOpen);
  EXPECT_EQ(pair.client.alpn(), "http/1.1");
}

TEST(TlsClient, TakesRecordsCutAnywhere) {
  const std::string text(40'000, 'x');
  for (const std::size_t piece : {1U, 3U, 5U, 1000U}) {
    Joined pair(trusting());
    pair.exchange(piece);
    ASSERT_EQ(pair.client.state(), State::kOpen);
    ASSERT_TRUE(pair.server.seal(as_bytes(text), pair.to_client));
    pair.client.seal(as_bytes(text), pair.to_server);
    pair.exchange(piece);
    EXPECT_EQ(pair.received_by_client(), text);
    EXPECT_EQ(pair.received_by_server, text);
  }
}

TEST(TlsClient, NoticesTheServersCloseNotify) {
  Joined pair(trusting());
  pair.exchange();
  ASSERT_TRUE(pair.server.seal(as_bytes("last"), pair.to_client));
  pair.server.close(pair.to_client);
  pair.exchange();
  EXPECT_EQ(pair.client.state(), State::kPeerClosed);
  EXPECT_EQ(pair.received_by_client(), "last");
}

TEST(TlsClient, ClosesWithACloseNotify) {
  Joined pair(trusting());
  pair.exchange();
  pair.client.close(pair.to_server);
  pair.exchange();
  EXPECT_EQ(pair.server.state(), tls::Connection::State::kPeerClosed);
}

TEST(TlsClient, GoesOnWithANewKey) {
  Joined pair(trusting());
  pair.exchange();
  pair.client.update_key(pair.to_server);
  pair.client.seal(as_bytes("under the new key"), pair.to_server);
  pair.exchange();
  EXPECT_EQ(pair.received_by_server, "under the new key");
}

TEST(TlsClient, AcceptsTheCertificateOfAGivenAuthority) {
  TlsClientOptions options = trusting();
  options.verify = true;
  options.ca_file = certificate_file();
  Joined pair(std::move(options));
  pair.exchange();
  EXPECT_EQ(pair.client.state(), State::kOpen) << pair.client.failure();
}

TEST(TlsClient, RefusesACertificateForAnotherName) {
  for (const char* host : {"example.org", "127.0.0.1"}) {
    SCOPED_TRACE(host);
    TlsClientOptions options = trusting();
    options.verify = true;
    options.ca_file = certificate_file();
    options.host = host;
    Joined pair(std::move(options));
    pair.exchange();
    EXPECT_EQ(pair.client.state(), State::kFailed);
    EXPECT_TRUE(pair.client.failure().starts_with("the certificate: ")) << pair.client.failure();
    EXPECT_TRUE(pair.client.failure().ends_with("mismatch")) << pair.client.failure();
    EXPECT_EQ(pair.server.state(), tls::Connection::State::kFailed);
  }
}

TEST(TlsClient, RefusesACertificateThatNobodyVouchesFor) {
  TlsClientOptions options = trusting();
  options.verify = true;
  Joined pair(std::move(options));
  pair.exchange();
  EXPECT_EQ(pair.client.state(), State::kFailed);
  EXPECT_EQ(pair.client.failure(), "the certificate: self-signed certificate");
}

TEST(TlsClient, FailsWhenTheServerSpeaksInClear) {
  Joined pair(trusting());
  std::vector<std::byte> plaintext, out;
  pair.client.receive(as_bytes("HTTP/1.1 400 Bad Request\r\n\r\n"), plaintext, out);
  EXPECT_EQ(pair.client.state(), State::kFailed);
  EXPECT_EQ(pair.client.failure(), "TLS: wrong version number");
}

TEST(TlsClientContext, NamesTheFileThatHoldsNoAuthority) {
  TlsClientOptions options = trusting();
  options.verify = true;
  options.ca_file = "/nonexistent";
  const auto made = TlsClientContext::create(std::move(options));
  ASSERT_FALSE(made.has_value());
  EXPECT_TRUE(made.error().message().starts_with("/nonexistent: ")) << made.error().message();
}

}  // namespace
}  // namespace perch::load
