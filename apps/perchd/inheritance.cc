#include "perchd/inheritance.h"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

namespace perch::perchd {
namespace {

constexpr int kMostListeners = 1024;

std::optional<int> take_number(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr) return std::nullopt;
  int number = 0;
  const char* end = text + std::strlen(text);
  const auto [after, error] = std::from_chars(text, end, number);
  const bool good = error == std::errc{} && after == end && number >= 0;
  ::unsetenv(variable);
  if (!good) return std::nullopt;
  return number;
}

}  // namespace

void Predecessor::ready() { tell("ready\n"); }
void Predecessor::failed(std::string_view why) { tell(std::string(why) + "\n"); }

// SIGPIPE is ignored: a predecessor that has gone meanwhile needs no news.
void Predecessor::tell(std::string_view line) {
  if (!pipe_.valid()) return;
  static_cast<void>(!::write(pipe_.get(), line.data(), line.size()));
  pipe_.reset();
}

Inheritance take_inheritance() {
  Inheritance inheritance;
  const std::optional<int> pid = take_number("LISTEN_PID");
  const std::optional<int> count = take_number("LISTEN_FDS");
  const char* variable = std::getenv("LISTEN_FDNAMES");
  std::string names = variable != nullptr ? variable : "";
  ::unsetenv("LISTEN_FDNAMES");
  const std::optional<int> ready = take_number(kReadyVariable);
  if (!pid || *pid != ::getpid()) return inheritance;

  for (int i = 0; i < count.value_or(0) && i < kMostListeners; ++i) {
    const std::size_t colon = names.find(':');
    const std::string name = names.substr(0, colon);
    names.erase(0, colon == names.npos ? colon : colon + 1);
    const int fd = kFirstDescriptor + i;
    // Only what is there: the variables may be somebody's mistake.
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) != 0) continue;
    inheritance.listeners.push_back(
        {net::UniqueFd(fd), name == "http" || name == "https" ? name : ""});
  }
  if (ready && ::fcntl(*ready, F_SETFD, FD_CLOEXEC) == 0) {
    inheritance.predecessor = Predecessor(net::UniqueFd(*ready));
  }
  return inheritance;
}

}  // namespace perch::perchd
