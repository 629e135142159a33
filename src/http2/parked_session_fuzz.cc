// Restores sessions from arbitrary records: a record may be refused, or its blob may turn out not
// to decode, but whatever session comes back must behave, and must park again into a record that
// restores to the same.
#include <cstdint>
#include <memory>

#include "http2/testing/wire.h"
#include "perch/base/check.h"

namespace perch::http2 {
namespace {

constexpr Instant kNow{2'000'000'000};

std::vector<std::byte> parked(const Session& session) {
  std::vector<std::byte> record;
  session.park(record, kNow);
  return record;
}

void talk(Session& session, testing::ScriptedOwner& owner, std::span<const std::byte> more) {
  owner.set_session(&session);
  testing::ScriptedClient client;
  client.ping();
  client.frames().priority(1, {.weight = 3});
  client.request(kLargestStreamId - 2, testing::get("/head/1"));
  client.request(kLargestStreamId, testing::get("/stream/3000"));
  std::vector<std::byte> bytes = client.take_output();
  bytes.insert(bytes.end(), more.begin(), more.end());
  std::size_t used = session.receive(bytes, kNow);
  PERCH_CHECK(used <= bytes.size());
  OutputQueue out;
  while (session.wants_output()) {
    session.produce(out, 4096, {testing::kDate, 1});
    out.clear();
  }
  PERCH_CHECK(owner.violation().empty());
  if (session.can_park()) {
    testing::ScriptedOwner later;
    PERCH_CHECK(Session::restore(parked(session), SessionOptions(), later, kNow) != nullptr);
  }
}

}  // namespace
}  // namespace perch::http2

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace perch::http2;
  const SessionOptions options;
  const std::size_t record_size = size == 0 ? 0 : std::min<std::size_t>(data[0], size - 1);
  const std::span all(reinterpret_cast<const std::byte*>(data), size);
  const auto record = all.subspan(size == 0 ? 0 : 1, record_size);
  testing::ScriptedOwner owner;
  const auto session = Session::restore(record, options, owner, kNow);
  if (session == nullptr) return 0;
  if (session->can_park()) {
    const auto again = parked(*session);
    testing::ScriptedOwner other;
    const auto twin = Session::restore(again, options, other, kNow);
    PERCH_CHECK(twin != nullptr);
    PERCH_CHECK(parked(*twin) == again);
  }
  talk(*session, owner, all.subspan(size == 0 ? 0 : 1 + record_size));
  return 0;
}
