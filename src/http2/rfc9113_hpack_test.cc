// Field compression (RFC 7541) as a session meets it.
#include <gtest/gtest.h>

#include "http2/testing/rule.h"

namespace perch::http2 {
namespace {

using testing::get;
using testing::Rule;
using testing::Wire;

constexpr const char* kServed = "HEADERS 1 200; DATA 1 13 END_STREAM";
constexpr const char* kUndecodable = "GOAWAY 0 COMPRESSION_ERROR";

// A GET with octets put behind its block, or in front of it.
void append(Wire& w, std::string_view hex) {
  auto block = w.client.block(get());
  const auto more = testing::from_hex(hex);
  block.insert(block.end(), more.begin(), more.end());
  w.client.frames().headers(1, block, 0x5);
}
void prepend(Wire& w, std::string_view hex) {
  auto block = testing::from_hex(hex);
  const auto rest = w.client.block(get());
  block.insert(block.end(), rest.begin(), rest.end());
  w.client.frames().headers(1, block, 0x5);
}

constexpr const char* kUserAgent = "0a 757365722d6167656e74";  // the name, plain
constexpr const char* kUserAgentCoded = "87 b505b161cc5a93";   // and Huffman-coded

#define PERCH_LITERAL(pattern, name) \
  [](Wire& w) { append(w, std::string(pattern) + name + "06 683273706563"); }
#define PERCH_LITERAL_CODED(pattern, name) \
  [](Wire& w) { append(w, std::string(pattern) + name + "84 9c48aca4"); }

const Rule kHpackRules[] = {
    {"7541 2.3.3", "An index beyond both tables does not decode", [](Wire& w) { append(w, "c6"); },
     kUndecodable},
    {"7541 2.3.3", "Nor a name's index beyond them",
     [](Wire& w) { append(w, "7f 10 06 683273706563"); }, kUndecodable},
    {"7541 4.2", "A table size update behind a field does not decode",
     [](Wire& w) { append(w, "21"); }, kUndecodable},
    {"7541 4.2", "Two updates in front are accepted: the smallest, then the last",
     [](Wire& w) { prepend(w, "20 3f e1 1f"); }, kServed},
    {"7541 5.1", "An integer that goes on without end does not decode",
     [](Wire& w) { append(w, "ff 80 80 80 80 80 80 80 80 80 80 01"); }, kUndecodable},
    {"7541 5.2", "Huffman padding longer than 7 bits does not decode",
     [](Wire& w) { append(w, "00 85 f2b24a84 ff 87 4950 9a b9 f7ffff"); }, kUndecodable},
    {"7541 5.2", "Huffman padding with zeros does not decode",
     [](Wire& w) { append(w, "00 85 f2b24a84 ff 83 49509a"); }, kUndecodable},
    {"7541 5.2", "EOS inside a Huffman string does not decode",
     [](Wire& w) { append(w, "00 85 f2b24a84 ff 87 ffffffffffffff"); }, kUndecodable},
    {"7541 5.2", "A string longer than its block does not decode",
     [](Wire& w) { append(w, "00 7f ff ff 03 61"); }, kUndecodable},
    {"7541 6.1", "A field of the static table is accepted", [](Wire& w) { append(w, "ba"); },
     kServed},
    {"7541 6.1", "Index 0 does not decode", [](Wire& w) { append(w, "80"); }, kUndecodable},
    {"7541 6.2.1", "Literal with indexing, name from the table",
     [](Wire& w) { append(w, "7a 06 683273706563"); }, kServed},
    {"7541 6.2.1", "Literal with indexing, new name", PERCH_LITERAL("40", kUserAgent), kServed},
    {"7541 6.2.1", "Literal with indexing, Huffman-coded",
     PERCH_LITERAL_CODED("40", kUserAgentCoded), kServed},
    {"7541 6.2.2", "Literal without indexing, name from the table",
     [](Wire& w) { append(w, "0f 2b 06 683273706563"); }, kServed},
    {"7541 6.2.2", "Literal without indexing, new name", PERCH_LITERAL("00", kUserAgent), kServed},
    {"7541 6.2.2", "Literal without indexing, Huffman-coded",
     PERCH_LITERAL_CODED("00", kUserAgentCoded), kServed},
    {"7541 6.2.3", "Literal never indexed, name from the table",
     [](Wire& w) { append(w, "1f 2b 06 683273706563"); }, kServed},
    {"7541 6.2.3", "Literal never indexed, new name", PERCH_LITERAL("10", kUserAgent), kServed},
    {"7541 6.2.3", "Literal never indexed, Huffman-coded",
     PERCH_LITERAL_CODED("10", kUserAgentCoded), kServed},
    {"7541 6.3", "A table size update within the limit is accepted",
     [](Wire& w) { prepend(w, "20"); }, kServed},
    {"7541 6.3", "A table size update above what was announced does not decode",
     [](Wire& w) { prepend(w, "3f e2 1f"); }, kUndecodable},
    {"7541 4.3", "Entries that an update evicts are gone",
     [](Wire& w) {
       w.client.request(1, get("/", {{"x-entry", "one"}}));
       w.exchange();
       auto block = testing::from_hex("20");  // size 0, and then an entry of before
       block.push_back(std::byte{0xbe});
       w.client.frames().headers(3, block, 0x5);
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; GOAWAY 1 COMPRESSION_ERROR"},
    {"7541 4.4", "A field larger than the table empties it, and is still a field",
     [](Wire& w) {
       w.client.request(1, get("/", {{"x-large", std::string(5000, 'l')}, {"x-small", "s"}}));
       w.exchange();
       w.client.request(3, get("/", {{"x-small", "s"}}));
     },
     "HEADERS 1 200; DATA 1 13 END_STREAM; HEADERS 3 200; DATA 3 13 END_STREAM"},
};

PERCH_TEST_RULES(Rfc7541InSession, kHpackRules);

}  // namespace
}  // namespace perch::http2
