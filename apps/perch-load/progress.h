// Says how far a run is: one line that is rewritten on a terminal, a line now and then elsewhere.
#pragma once

#include <cstdio>
#include <string>

#include "perch/base/clock.h"

namespace perch::load {

class Progress {
 public:
  enum class Style { kTerminal, kPlain, kSilent };

  // The style that suits `out`.
  static Style style_of(std::FILE* out);

  Progress(std::FILE* out, Style style) : out_(out), style_(style) {}

  // May be called often: most calls show nothing.
  bool due(Instant now) const;
  void show(const std::string& line, Instant now);
  // Shows `line` in any case; the next one begins below it.
  void finish(const std::string& line, Instant now);

 private:
  std::FILE* out_;
  Style style_;
  Instant last_;
};

}  // namespace perch::load
