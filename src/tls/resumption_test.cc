// Session tickets: who may redeem them, and until when.
#include <gtest/gtest.h>

#include "tls/testing/pair.h"

namespace perch::tls {
namespace {

using testing::ClientOptions;
using testing::localhost_context;
using testing::Pair;
using testing::SessionPtr;

class Resumption : public ::testing::TestWithParam<int> {
 protected:
  ClientOptions options() const {
    return {.min_version = GetParam(), .max_version = GetParam(), .server_name = "localhost"};
  }
  SessionPtr ticket_of(const std::shared_ptr<const ServerContext>& context) const {
    Pair pair(context, options());
    pair.exchange();
    if (pair.client.sessions().empty()) return nullptr;
    return std::move(pair.client.sessions().back());
  }
  bool resumes(const std::shared_ptr<const ServerContext>& context, SSL_SESSION* session) const {
    ClientOptions resuming = options();
    resuming.session = session;
    Pair pair(context, resuming);
    pair.exchange();
    EXPECT_EQ(pair.server.state(), Connection::State::kOpen);
    EXPECT_EQ(pair.server.server_name(), "localhost");
    pair.client.send("x");
    pair.exchange();
    EXPECT_EQ(pair.received, "x");
    return pair.server.resumed();
  }
};
INSTANTIATE_TEST_SUITE_P(Tls, Resumption, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) {
                           return version.param == TLS1_2_VERSION ? "Tls12" : "Tls13";
                         });

std::shared_ptr<const ServerContext> context_with(std::shared_ptr<TicketKeys> keys) {
  return localhost_context([&](auto& options) { options.ticket_keys = std::move(keys); });
}

TEST_P(Resumption, ByTheSameContext) {
  const auto context = localhost_context();
  const SessionPtr session = ticket_of(context);
  ASSERT_NE(session, nullptr);
  EXPECT_TRUE(resumes(context, session.get()));
}

TEST_P(Resumption, EachConnectionOfTls13BringsANewTicket) {
  const auto context = localhost_context();
  const SessionPtr session = ticket_of(context);
  ClientOptions resuming = options();
  resuming.session = session.get();
  Pair pair(context, resuming);
  pair.exchange();
  EXPECT_TRUE(pair.server.resumed());
  EXPECT_EQ(pair.client.sessions().size(), GetParam() == TLS1_3_VERSION ? 1U : 0U);
}

TEST_P(Resumption, ARotatedKeyIsTakenUntilItIsForgotten) {
  const auto keys = TicketKeys::random();
  const auto context = context_with(keys);
  const SessionPtr session = ticket_of(context);
  for (std::size_t i = 1; i < TicketKeys::kMaxKeys; ++i) {
    keys->rotate();
    EXPECT_TRUE(resumes(context, session.get())) << i;
  }
  keys->rotate();
  EXPECT_FALSE(resumes(context, session.get()));
}

TEST_P(Resumption, AnOldKeysTicketIsReplaced) {
  const auto keys = TicketKeys::random();
  const auto context = context_with(keys);
  const SessionPtr session = ticket_of(context);
  keys->rotate();
  ClientOptions resuming = options();
  resuming.session = session.get();
  Pair pair(context, resuming);
  pair.exchange();
  EXPECT_TRUE(pair.server.resumed());
  const SessionPtr renewed(SSL_get1_session(pair.client.ssl()));
  for (std::size_t i = 1; i < TicketKeys::kMaxKeys; ++i) keys->rotate();
  EXPECT_FALSE(resumes(context, session.get()));
  EXPECT_TRUE(resumes(context, renewed.get()));
}

TEST_P(Resumption, AcrossContextsWithTheSameKeys) {
  const auto keys = TicketKeys::random();
  const SessionPtr session = ticket_of(context_with(keys));
  EXPECT_TRUE(resumes(context_with(keys), session.get())) << "after a reload";
  const auto copy = TicketKeys::from_bytes(keys->to_bytes());
  ASSERT_TRUE(copy.has_value());
  EXPECT_TRUE(resumes(context_with(*copy), session.get())) << "in another process";
  EXPECT_FALSE(resumes(context_with(TicketKeys::random()), session.get()));
}

TEST_P(Resumption, NotWhereClientsAreCheckedDifferently) {
  const testing::Folder folder;
  const std::string ca = folder.write("ca.pem", testing::Authority().pem());
  const auto keys = TicketKeys::random();
  const SessionPtr session = ticket_of(context_with(keys));
  EXPECT_FALSE(resumes(localhost_context([&](auto& options) {
                         options.ticket_keys = keys;
                         options.client_certificates = ClientCertificates::kRequest;
                         options.client_ca_file = ca;
                       }),
                       session.get()));
}

TEST_P(Resumption, WithoutTicketsThereIsNone) {
  const auto context = localhost_context([](auto& options) { options.session_tickets = false; });
  const SessionPtr session = ticket_of(context);
  const bool has_ticket = session != nullptr && SSL_SESSION_has_ticket(session.get()) == 1;
  EXPECT_FALSE(has_ticket);
}

TEST(TicketKeys, ReadsWholeKeysOnly) {
  const std::vector<std::byte> bytes(4 * TicketKeys::kKeyBytes, std::byte{1});
  const auto of = [&](std::size_t size) {
    return TicketKeys::from_bytes(std::span(bytes).first(size)).has_value();
  };
  EXPECT_FALSE(of(0));
  EXPECT_FALSE(of(48));
  EXPECT_FALSE(of(81));
  EXPECT_TRUE(of(80));
  EXPECT_TRUE(of(240));
  EXPECT_FALSE(of(320));
}

TEST(TicketKeys, ReplaceKeepsTheOldOnesOnAnError) {
  const auto keys = TicketKeys::random();
  const auto before = keys->to_bytes();
  EXPECT_FALSE(keys->replace(std::span(before).first(10)).has_value());
  EXPECT_EQ(keys->to_bytes(), before);
  const auto others = TicketKeys::random()->to_bytes();
  EXPECT_TRUE(keys->replace(others).has_value());
  EXPECT_EQ(keys->to_bytes(), others);
}

TEST(TicketKeys, FromAFile) {
  const testing::Folder folder;
  const auto bytes = TicketKeys::random()->to_bytes();
  const auto keys = TicketKeys::from_file(folder.write("keys", as_text(bytes)));
  ASSERT_TRUE(keys.has_value());
  EXPECT_EQ((*keys)->to_bytes(), bytes);
  const std::string empty = folder.write("empty", "");
  EXPECT_EQ(TicketKeys::from_file(empty).error().message(),
            empty + ": ticket keys are 1 to 3 keys of 80 bytes, not 0 bytes");
}

}  // namespace
}  // namespace perch::tls
