#include "perch-load/idle_run.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace perch::load {
namespace {

using namespace std::chrono_literals;

constexpr net::SinkId kSink = net::SinkId::kFirstFree;
constexpr Duration kTurn = 50ms;  // how late a deadline or a signal may be noticed

// A server that is not there refuses all connections: asking on would only take time.
constexpr std::size_t kGiveUpAfter = 100;

}  // namespace

IdleRun::IdleRun(net::Reactor& reactor, const RunOptions& options,
                 std::vector<net::Endpoint> targets, std::unique_ptr<const TlsClientContext> tls,
                 Progress& progress, const std::atomic<bool>& stop)
    : reactor_(reactor),
      options_(options),
      targets_(std::move(targets)),
      progress_(progress),
      stop_(stop),
      loop_(std::make_unique<Loop>(
          Requests(request_fields(options.fields, options.url.authority, options.url.path,
                                  std::string(options.url.scheme()))),
          options.http1, std::move(tls))),
      slots_(options.connections) {
  reactor_.set_sink(kSink, this);
}

IdleRun::~IdleRun() { reactor_.set_sink(kSink, nullptr); }

RunResult IdleRun::run() {
  sample("before");
  open_all();
  if (result_.opened != 0) {
    hold();
    sample("idle");
    probe();
    if (result_.probes != 0) sample("probed");
    close_all();
    sample("closed");
  }
  result_.interrupted = stopped();
  return std::move(result_);
}

void IdleRun::open_all() {
  phase_name_ = "opening";
  const Instant start = Instant::now();
  std::uint32_t next = 0;
  const auto giving_up = [&] {
    return stopped() || (result_.opened == 0 && failures_in_a_row_ >= kGiveUpAfter);
  };
  // One connection alone finds out which of the addresses is served.
  const auto at_a_time = [&] {
    return result_.opened == 0 && target_ + 1 < targets_.size() ? 1 : options_.concurrency;
  };
  while (!giving_up() && (next < slots_.size() || opening_ != 0)) {
    while (next < slots_.size() && opening_ < at_a_time() && !giving_up()) open(next++);
    turn(kTurn);
    expire();
  }
  // Those that are still in the middle when the run is given up.
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].phase == Phase::kOpening) opening_failed(slot, "given up");
  }
  if (next < slots_.size()) result_.not_opened["not tried"] += slots_.size() - next;
  result_.opening_time = Instant::now() - start;
  tell(true);
}

void IdleRun::hold() {
  phase_name_ = "holding";
  phase_end_ = Instant::now() + options_.hold;
  for (Instant now = Instant::now(); now < phase_end_ && !stopped(); now = Instant::now()) {
    turn(std::min(kTurn, phase_end_ - now));
  }
  tell(true);
}

void IdleRun::probe() {
  phase_name_ = "probing";
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    if (slots_[slot].phase == Phase::kIdle) chosen.push_back(slot);
  }
  // Fisher and Yates's shuffle, spelled out: the standard one differs between libraries, and a seed
  // should choose the same connections everywhere.
  std::mt19937_64 random(options_.seed);
  for (std::size_t i = chosen.size(); i > 1; --i) std::swap(chosen[i - 1], chosen[random() % i]);
  chosen.resize(
      static_cast<std::size_t>(std::llround(options_.probe * static_cast<double>(chosen.size()))));

  std::size_t next = 0;
  while (!stopped() && (next < chosen.size() || probing_ != 0)) {
    while (next < chosen.size() && probing_ < options_.probe_concurrency)
      send_probe(chosen[next++]);
    turn(kTurn);
    expire();
  }
  tell(true);
}

void IdleRun::close_all() {
  for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
    const Phase phase = slots_[slot].phase;
    if (phase == Phase::kIdle || phase == Phase::kProbing) ++result_.held;
    leave(slot);
  }
}

void IdleRun::open(std::uint32_t slot) {
  ++opening_;
  slots_[slot].phase = Phase::kOpening;
  if (const std::string why = start(slot); !why.empty()) opening_failed(slot, why);
}

std::string IdleRun::start(std::uint32_t index) {
  Slot& slot = slots_[index];
  slot.connection = Connection();
  const net::Endpoint& target = targets_[target_];
  auto fd = Connection::make_socket(target, source_for(target, index));
  if (!fd) return fd.error().message();
  // Registered before it is connected, so that no edge is missed.
  const auto added =
      reactor_.add(fd->get(), {kSink, index, slot.generation}, net::IoInterest::connection());
  if (!added) return added.error().message();
  if (const auto begun = slot.connection.connect(std::move(*fd), target); !begun) {
    return begun.error().message();
  }
  slot.sent = Instant::now();
  pending_.push_back({index, slot.generation, Phase::kOpening, slot.sent});
  return slot.connection.request(*loop_).lost;
}

void IdleRun::opening_failed(std::uint32_t slot, const std::string& why) {
  --opening_;
  // A server that answers, but not as it should, is not looked for at the next address.
  const bool reached = slots_[slot].connection.reached();
  leave(slot);
  if (!reached && result_.opened == 0 && target_ + 1 < targets_.size() && !stopped()) {
    ++target_;
    open(slot);
    return;
  }
  ++failures_in_a_row_;
  ++result_.not_opened[why];
}

void IdleRun::send_probe(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.phase != Phase::kIdle) return;  // lost meanwhile
  slot.phase = Phase::kProbing;
  ++probing_;
  ++result_.probes;
  slot.sent = Instant::now();
  pending_.push_back({index, slot.generation, Phase::kProbing, slot.sent});
  const Connection::Outcome outcome = slot.connection.request(*loop_);
  if (!outcome.lost.empty()) on_lost(index, outcome.lost);
}

void IdleRun::on_io(std::uint32_t index, std::uint32_t generation, net::IoEvents events) noexcept {
  Slot& slot = slots_[index];
  if (slot.generation != generation || !slot.connection.is_open()) return;
  const Connection::Outcome outcome = slot.connection.on_io(events, *loop_);
  if (outcome.answer) on_answer(index, *outcome.answer);
  if (!outcome.lost.empty()) on_lost(index, outcome.lost);
}

void IdleRun::on_answer(std::uint32_t index, const Answer& answer) {
  Slot& slot = slots_[index];
  if (slot.phase == Phase::kOpening) {
    if (!answer.failure.empty()) return opening_failed(index, std::string(answer.failure));
    --opening_;
    failures_in_a_row_ = 0;
    slot.phase = Phase::kIdle;
    slot.first = answer;
    ++result_.opened;
    ++result_.statuses[answer.status];
    ++result_.protocols[slot.connection.protocol()];
    if (answer.status >= 400)
      ++result_.wrong_answers[fmt::format("first status {}", answer.status)];
  } else if (slot.phase == Phase::kProbing) {
    --probing_;
    slot.phase = Phase::kIdle;
    ++result_.probes_answered;
    if (!answer.failure.empty()) {
      ++result_.wrong_answers[std::string(answer.failure)];
    } else if (answer.status != slot.first.status) {
      ++result_.wrong_answers[fmt::format("status {} after {}", answer.status, slot.first.status)];
    } else if (answer != slot.first) {
      ++result_.wrong_answers["another body"];
    } else {
      result_.latencies.push_back(Instant::now() - slot.sent);
    }
  }
}

void IdleRun::on_lost(std::uint32_t index, const std::string& why) {
  Slot& slot = slots_[index];
  switch (slot.phase) {
    case Phase::kOpening:
      return opening_failed(index, why);
    case Phase::kProbing:
      --probing_;
      ++result_.wrong_answers["none: the connection was closed"];
      [[fallthrough]];
    case Phase::kIdle:
      ++result_.lost[why];
      return leave(index);
    case Phase::kUnused:
    case Phase::kOver:
      return;
  }
}

void IdleRun::leave(std::uint32_t index) {
  Slot& slot = slots_[index];
  if (slot.connection.is_open()) slot.connection.close(*loop_);
  slot.generation = (slot.generation + 1) & net::IoToken::kGenerationMask;
  slot.phase = Phase::kOver;
}

void IdleRun::expire() {
  const Instant now = Instant::now();
  while (!pending_.empty()) {
    const Pending pending = pending_.front();
    const Slot& slot = slots_[pending.slot];
    const bool waits = slot.generation == pending.generation && slot.phase == pending.phase &&
                       slot.sent == pending.since;
    if (waits && now - pending.since < options_.timeout) return;
    pending_.pop_front();
    if (waits) on_lost(pending.slot, "no answer in time");
  }
}

void IdleRun::sample(const char* when) {
  if (!options_.pid) return;
  // The server may still be putting connections away.
  const Instant end = Instant::now() + options_.settle;
  for (Instant now = Instant::now(); now < end && !stopped(); now = Instant::now()) {
    reactor_.poll(std::min(kTurn, end - now));
  }
  const auto open = static_cast<std::size_t>(
      std::ranges::count_if(slots_, [](const Slot& slot) { return slot.connection.is_open(); }));
  result_.memory.push_back({when, open, read_process_memory(*options_.pid)});
}

void IdleRun::turn(Duration longest) {
  reactor_.poll(longest);
  tell();
}

void IdleRun::tell(bool last) {
  const Instant now = Instant::now();
  if (!last && !progress_.due(now)) return;
  std::string line = fmt::format("{}: {} of {} open, {} lost, {} failed", phase_name_,
                                 result_.opened - total(result_.lost), options_.connections,
                                 total(result_.lost), total(result_.not_opened));
  if (result_.probes != 0) {
    line += fmt::format(", {} of {} probes answered", result_.probes_answered, result_.probes);
  } else if (!last && phase_end_ > now) {
    line += fmt::format(", {} s left", (phase_end_ - now) / 1s);
  }
  last ? progress_.finish(line, now) : progress_.show(line, now);
}

}  // namespace perch::load
