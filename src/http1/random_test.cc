// Random requests, most of them bent a little, against the reference; whatever the cuts, and parked
// wherever that may be.
#include <random>

#include <gtest/gtest.h>

#include "http1/testing/case.h"
#include "http1/testing/reference.h"
#include "http1/testing/wire.h"

namespace perch::http1 {
namespace {

using namespace std::string_literals;
using testing::Delivery;
using testing::kDeliveries;
using testing::reference_summary;
using testing::Wire;
using testing::without_status;

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  std::string connection() {
    std::string input;
    for (int requests = 1 + below(4); requests > 0; --requests) input += request();
    for (int bends = below(4); bends > 0; --bends) bend(input);
    return input;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  template <std::size_t kSize>
  std::string one_of(const std::string (&choices)[kSize]) {
    return choices[below(kSize)];
  }

  std::string request() {
    static const std::string kMethods[] = {"GET", "POST", "PUT", "HEAD", "OPTIONS", "X-Y"};
    static const std::string kTargets[] = {"/", "/a?b", "http://b/", "http://b?c", "/\xc3\xa4"};
    static const std::string kFields[] = {"X: y\r\n",
                                          "Cookie: a=b; c=d\r\n",
                                          "Connection: keep-alive\r\n",
                                          "Connection: x, close\r\n",
                                          "Expect: 100-continue\r\n",
                                          "Empty:\r\n",
                                          "Accept: */*  \r\n"};
    std::string head = one_of(kMethods) + " " + one_of(kTargets) +
                       (below(8) == 0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n") + "Host: a\r\n";
    for (int fields = below(3); fields > 0; --fields) head += one_of(kFields);
    const std::string body = testing::pattern(static_cast<std::size_t>(below(40)));
    switch (below(3)) {
      case 0:
        return head + "\r\n";
      case 1:
        return head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
      default:
        return head + "Transfer-Encoding: chunked\r\n\r\n" + chunks(body);
    }
  }

  std::string chunks(std::string_view body) {
    static const std::string kExtensions[] = {"", "", ";a", ";a=b", "; a=\"b\\\"c\""};
    std::string text;
    while (!body.empty()) {
      const std::size_t size = std::min<std::size_t>(body.size(), 1 + random_() % 15);
      text += "0123456789abcdef"[size];
      text += one_of(kExtensions) + "\r\n" + std::string(body.substr(0, size)) + "\r\n";
      body.remove_prefix(size);
    }
    return text + "0" + one_of(kExtensions) + "\r\n" + (below(4) == 0 ? "T: u\r\n" : "") + "\r\n";
  }

  void bend(std::string& input) {
    static const std::string kPieces[] = {"\r\n",
                                          "\n",
                                          "\r",
                                          " ",
                                          "\t",
                                          ":",
                                          ",",
                                          "0",
                                          "5",
                                          "f",
                                          ";",
                                          "=",
                                          "\"",
                                          "\\",
                                          "\0"s,
                                          "a",
                                          "\r\n ",
                                          "chunked",
                                          "close",
                                          "Content-Length: 5\r\n",
                                          "Transfer-Encoding: chunked\r\n",
                                          "Host: b\r\n",
                                          "X",
                                          "%",
                                          "-",
                                          "@",
                                          "/",
                                          "\xff"};
    const auto at = static_cast<std::size_t>(below(static_cast<int>(input.size()) + 1));
    switch (below(5)) {
      case 0:
        if (at < input.size()) input.erase(at, 1);
        return;
      case 1:
        if (at < input.size()) input[at] = one_of(kPieces)[0];
        return;
      case 2:
        input.insert(at, input.substr(at / 2, static_cast<std::size_t>(below(30))));
        return;
      case 3:
        if (below(4) == 0) input.resize(at);
        return;
      default:
        input.insert(at, one_of(kPieces));
    }
  }

  std::minstd_rand random_;
};

TEST(Random, RequestsAreWhatTheReferenceSees) {
  int refused = 0;
  int parked = 0;
  for (std::uint32_t seed = 1; seed <= 20'000; ++seed) {
    const std::string input = Generator(seed).connection();
    const std::string expected = reference_summary(input);
    refused += expected.ends_with("refused closed") ? 1 : 0;
    for (const Delivery delivery : kDeliveries) {
      Wire wire(delivery, {}, seed);
      wire.owner.echo_all = true;
      wire.send(input);
      parked += wire.times_parked();
      ASSERT_EQ(without_status(wire.summary()), expected)
          << "seed " << seed << ", " << to_string(delivery) << "\n"
          << input;
      ASSERT_EQ(wire.violation(), "") << "seed " << seed;
    }
  }
  // Both kinds are well represented.
  EXPECT_GT(refused, 4'000);
  EXPECT_LT(refused, 16'000);
  EXPECT_GT(parked, 10'000);
}

}  // namespace
}  // namespace perch::http1
