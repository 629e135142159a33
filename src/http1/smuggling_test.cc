// Messages whose end two recipients could see in different places (RFC 9112 section 11.2): each is
// either understood in the one right way, or refused with everything behind it.
#include <vector>

#include <gtest/gtest.h>

#include "http1/testing/case.h"

namespace perch::http1 {
namespace {

using namespace std::string_literals;
using testing::Case;
using testing::check_cases;
using testing::chunked;
using testing::get;
using testing::post;
using testing::repeat;

const std::string kRefused = "=> 400 closed";
// What an attacker wants to be a request.
const std::string kPrey = "GET /prey HTTP/1.1\r\nHost: prey\r\n\r\n";

TEST(Smuggling, ContentLengthAndTransferEncoding) {
  const std::string zero = "0\r\n\r\n" + kPrey;
  const std::vector<Case> cases = {
      {"CL.TE", post("Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE.CL", post("Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", zero), kRefused},
      {"CL of 0 and TE", post("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", zero),
       kRefused},
      {"CL and unknown TE", post("Content-Length: 5\r\nTransfer-Encoding: x\r\n", zero), kRefused},
      {"TE in HTTP/1.0", "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n" + zero,
       kRefused},
      {"TE in HTTP/1.0 with CL",
       "POST /echo HTTP/1.0\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + zero,
       kRefused},
      {"TE.TE", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", zero),
       kRefused},
      {"TE.TE, the second unknown",
       post("Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n", zero), kRefused},
      {"TE.TE, the first unknown",
       post("Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE identity", post("Transfer-Encoding: identity\r\n", zero), kRefused},
      {"TE gzip", post("Transfer-Encoding: gzip\r\n", zero), kRefused},
      {"TE gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", zero), "=> 501 closed"},
      {"TE identity, chunked", post("Transfer-Encoding: identity, chunked\r\n", zero),
       "=> 501 closed"},
      {"TE chunked, gzip", post("Transfer-Encoding: chunked, gzip\r\n", zero), kRefused},
      {"TE chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", zero), kRefused},
      {"TE chunked, chunked", post("Transfer-Encoding: chunked, chunked\r\n", zero), kRefused},
      {"TE with a comma behind", post("Transfer-Encoding: chunked,\r\n", zero), kRefused},
      {"TE with a comma before", post("Transfer-Encoding: ,chunked\r\n", zero), kRefused},
      {"TE empty", post("Transfer-Encoding: \r\n", zero), kRefused},
      {"TE xchunked", post("Transfer-Encoding: xchunked\r\n", zero), kRefused},
      {"TE chunkedx", post("Transfer-Encoding: chunkedx\r\n", zero), kRefused},
      {"TE quoted", post("Transfer-Encoding: \"chunked\"\r\n", zero), kRefused},
      {"TE with a parameter", post("Transfer-Encoding: chunked;q=1\r\n", zero), kRefused},
      {"TE with a vertical tab", post("Transfer-Encoding: \vchunked\r\n", zero), kRefused},
      {"TE with a form feed", post("Transfer-Encoding: chunked\f\r\n", zero), kRefused},
      {"TE with a NUL", post("Transfer-Encoding: chunked\0\r\n"s, zero), kRefused},
      {"TE with a high byte", post("Transfer-Encoding: chunked\xa0\r\n", zero), kRefused},
      {"TE in a folded line", post("Transfer-Encoding:\r\n chunked\r\n", zero), kRefused},
      {"TE behind a folded line", post("X: y\r\n Transfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE with a space before the colon", post("Transfer-Encoding : chunked\r\n", zero), kRefused},
      {"TE with a tab before the colon", post("Transfer-Encoding\t: chunked\r\n", zero), kRefused},
      {"TE with a space before the name", post(" Transfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE behind a bare LF", post("X: y\nTransfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE behind a bare CR", post("X: y\rTransfer-Encoding: chunked\r\n", zero), kRefused},
      {"TE before a bare CR", post("Transfer-Encoding: chunked\r\r\n", zero), kRefused},
      {"TE without a colon", post("Transfer-Encoding chunked\r\n", zero), kRefused},
      {"TE in capitals is TE", post("TRANSFER-ENCODING: CHUNKED\r\n", "0\r\n\r\n"),
       "POST /echo => 200 open"},
      {"TE with blanks around is TE", post("Transfer-Encoding: \t chunked \t\r\n", "0\r\n\r\n"),
       "POST /echo => 200 open"},
      {"an underscore makes another field", post("Transfer_Encoding: chunked\r\n", ""),
       "POST /echo => 200 open"},
  };
  check_cases(cases);
}

TEST(Smuggling, ContentLength) {
  const std::vector<Case> cases = {
      {"two alike", post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"), kRefused},
      {"two that differ", post("Content-Length: 5\r\nContent-Length: 0\r\n", "hello"), kRefused},
      {"two in one, alike", post("Content-Length: 5, 5\r\n", "hello"), kRefused},
      {"two in one that differ", post("Content-Length: 5, 0\r\n", "hello"), kRefused},
      {"comma behind", post("Content-Length: 5,\r\n", "hello"), kRefused},
      {"empty", post("Content-Length: \r\n", ""), kRefused},
      {"negative", post("Content-Length: -1\r\n", kPrey), kRefused},
      {"negative zero", post("Content-Length: -0\r\n", kPrey), kRefused},
      {"plus", post("Content-Length: +5\r\n", "hello"), kRefused},
      {"hexadecimal", post("Content-Length: 0x5\r\n", "hello"), kRefused},
      {"exponent", post("Content-Length: 5e0\r\n", "hello"), kRefused},
      {"fraction", post("Content-Length: 5.0\r\n", "hello"), kRefused},
      {"inner space", post("Content-Length: 1 0\r\n", "helloworld"), kRefused},
      {"inner tab", post("Content-Length: 1\t0\r\n", "helloworld"), kRefused},
      {"quoted", post("Content-Length: \"5\"\r\n", "hello"), kRefused},
      {"letters", post("Content-Length: five\r\n", "hello"), kRefused},
      {"NUL", post("Content-Length: 5\0\r\n"s, "hello"), kRefused},
      {"2 to the 64th", post("Content-Length: 18446744073709551616\r\n", kPrey), kRefused},
      {"many digits", post("Content-Length: " + repeat("9", 100) + "\r\n", kPrey), kRefused},
      {"space before the colon", post("Content-Length : 5\r\n", "hello"), kRefused},
      {"folded", post("Content-Length:\r\n 5\r\n", "hello"), kRefused},
      {"behind a bare CR", post("X: y\rContent-Length: 34\r\n", kPrey), kRefused},
      {"leading zeros are digits", post("Content-Length: 005\r\n", "hello"),
       "POST /echo=hello => 200 open"},
      {"blanks around", post("Content-Length: \t5 \r\n", "hello"), "POST /echo=hello => 200 open"},
      {"body that looks like a request", post("Content-Length: 34\r\n", kPrey),
       "POST /echo=" + kPrey + " => 200 open"},
      {"GET with a body that looks like a request",
       "GET /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 35\r\n\r\n" + kPrey + "\n",
       "GET /echo=" + kPrey + "\n => 200 open"},
  };
  check_cases(cases);
}

TEST(Smuggling, Chunks) {
  const std::string end = "\r\n0\r\n\r\n";
  const std::vector<Case> cases = {
      {"size of 16 digits that ends the range", chunked("ffffffffffffffff\r\n"),
       "POST /echo => waiting"},
      {"size of 17 digits", chunked("10000000000000005\r\nhello" + end),
       "POST /echo! => 400 closed"},
      {"17 leading zeros", chunked("00000000000000005\r\nhello" + end),
       "POST /echo! => 400 closed"},
      {"negative size", chunked("-5\r\nhello" + end), "POST /echo! => 400 closed"},
      {"plus", chunked("+5\r\nhello" + end), "POST /echo! => 400 closed"},
      {"0x", chunked("0x5\r\nhello" + end), "POST /echo! => 400 closed"},
      {"no size", chunked("\r\nhello" + end), "POST /echo! => 400 closed"},
      {"only an extension", chunked(";a=b\r\nhello" + end), "POST /echo! => 400 closed"},
      {"space before the size", chunked(" 5\r\nhello" + end), "POST /echo! => 400 closed"},
      {"space behind the size", chunked("5 \r\nhello" + end), "POST /echo! => 400 closed"},
      {"letters that are no digits", chunked("5g\r\nhello" + end), "POST /echo! => 400 closed"},
      {"two sizes", chunked("5,5\r\nhello" + end), "POST /echo! => 400 closed"},
      {"bare LF behind the size", chunked("5\nhello" + end), "POST /echo! => 400 closed"},
      {"bare CR behind the size", chunked("5\rhello" + end), "POST /echo! => 400 closed"},
      {"data longer than its size", chunked("4\r\nhello" + end), "POST /echo=hell! => 400 closed"},
      {"data shorter than its size", chunked("6\r\nhello" + end + kPrey),
       "POST /echo=hello\r! => 400 closed"},
      {"LF alone behind the data", chunked("5\r\nhello\n0\r\n\r\n"),
       "POST /echo=hello! => 400 closed"},
      {"nothing behind the data", chunked("5\r\nhello0\r\n\r\n"),
       "POST /echo=hello! => 400 closed"},
      {"bare LF at the very end", chunked("0\r\n\n"), "POST /echo! => 400 closed"},
      {"bare LF in an extension", chunked("5;a\nb\r\nhello" + end), "POST /echo! => 400 closed"},
      {"CRLF in a quoted extension", chunked("5;a=\"\r\n\"\r\nhello" + end),
       "POST /echo! => 400 closed"},
      {"CR in a quoted extension", chunked("5;a=\"\r\"\r\nhello" + end),
       "POST /echo! => 400 closed"},
      {"NUL in a quoted extension", chunked("5;a=\"\0\"\r\nhello"s + end),
       "POST /echo! => 400 closed"},
      {"quote without an end", chunked("5;a=\"x\r\nhello" + end), "POST /echo! => 400 closed"},
      {"extension without a name", chunked("5;\r\nhello" + end), "POST /echo! => 400 closed"},
      {"extension", chunked("5;a=b;c;d=\"e f\"\r\nhello" + end), "POST /echo=hello => 200 open"},
      {"extension with blanks", chunked("5 ; a = b\r\nhello" + end),
       "POST /echo=hello => 200 open"},
      {"long extension", chunked("5;a=" + repeat("b", 5000) + "\r\nhello" + end),
       "POST /echo! => 400 closed"},
      {"flood of short extensions", chunked(repeat("1;abc\r\nx\r\n", 2000)),
       "POST /echo=" + repeat("x", 1024) + "! => 400 closed"},  // 4,096 bytes of ";abc"
      {"size in capitals", chunked("A\r\n0123456789" + end), "POST /echo=0123456789 => 200 open"},
      {"last chunk of many zeros", chunked("5\r\nhello\r\n0000\r\n\r\n"),
       "POST /echo=hello => 200 open"},
      {"last chunk with an extension", chunked("5\r\nhello\r\n0;a=b\r\n\r\n"),
       "POST /echo=hello => 200 open"},
  };
  check_cases(cases);
}

TEST(Smuggling, Trailers) {
  const auto with = [](std::string_view trailers) {
    return chunked("5\r\nhello\r\n0\r\n" + std::string(trailers) + "\r\n");
  };
  const std::vector<Case> cases = {
      {"kept apart", with("X-One: 1\r\nx-two: 2\r\n"),
       "POST /echo=hello+x-one:1+x-two:2 => 200 open"},
      {"Content-Length", with("Content-Length: 5\r\n"), "POST /echo=hello! => 400 closed"},
      {"Transfer-Encoding", with("Transfer-Encoding: chunked\r\n"),
       "POST /echo=hello! => 400 closed"},
      {"Host", with("Host: b\r\n"), "POST /echo=hello! => 400 closed"},
      {"folded", with("X: y\r\n z\r\n"), "POST /echo=hello! => 400 closed"},
      {"bare LF", with("X: y\nZ: a\r\n"), "POST /echo=hello! => 400 closed"},
      {"bare CR", with("X: y\rZ: a\r\n"), "POST /echo=hello! => 400 closed"},
      {"NUL", with("X: \0\r\n"s), "POST /echo=hello! => 400 closed"},
      {"space before the colon", with("X : y\r\n"), "POST /echo=hello! => 400 closed"},
      {"a request", with("GET /prey HTTP/1.1\r\n"), "POST /echo=hello! => 400 closed"},
      {"too many", with(repeat("X: y\r\n", 257)), "POST /echo=hello! => 431 closed"},
      {"too large", with("X: " + repeat("y", 66'000) + "\r\n"), "POST /echo=hello! => 431 closed"},
      {"without an end", with(repeat("X: y\r\n", 20'000)), "POST /echo=hello! => 431 closed"},
  };
  check_cases(cases);
}

}  // namespace
}  // namespace perch::http1
