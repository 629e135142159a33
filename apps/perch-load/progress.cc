#include "perch-load/progress.h"

#include <unistd.h>

#include <fmt/format.h>

namespace perch::load {

Progress::Style Progress::style_of(std::FILE* out) {
  return ::isatty(::fileno(out)) == 1 ? Style::kTerminal : Style::kPlain;
}

bool Progress::due(Instant now) const {
  using namespace std::chrono_literals;
  return style_ != Style::kSilent && now - last_ >= (style_ == Style::kTerminal ? 100ms : 5s);
}

void Progress::show(const std::string& line, Instant now) {
  if (!due(now)) return;
  last_ = now;
  // Erases what a longer line left behind.
  fmt::print(out_, "{}{}", style_ == Style::kTerminal ? "\r\x1b[K" : "", line);
  if (style_ == Style::kPlain) fmt::print(out_, "\n");
  std::fflush(out_);
}

void Progress::finish(const std::string& line, Instant now) {
  if (style_ == Style::kSilent) return;
  last_ = now;
  fmt::print(out_, "{}{}\n", style_ == Style::kTerminal ? "\r\x1b[K" : "", line);
  std::fflush(out_);
}

}  // namespace perch::load
