#include "perchd/successor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "perchd/inheritance.h"

namespace perch::perchd {
namespace {

constexpr std::size_t kLongestReason = 1024;
constexpr std::string_view kPidVariable = "LISTEN_PID=";
constexpr std::string_view kOwnVariables[] = {
    "LISTEN_PID=", "LISTEN_FDS=", "LISTEN_FDNAMES=", "PERCHD_READY_FD="};

// Between fork and exec, where nothing may allocate or lock.
void write_number(char* at, pid_t number) {
  char digits[16];
  int count = 0;
  do {
    digits[count++] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  while (count > 0) *at++ = digits[--count];
  *at = '\0';
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment_for(const std::vector<server::ListenerView>& listeners) {
  std::vector<std::string> variables;
  // Room for the number, which is known only after the fork.
  variables.push_back(std::string(kPidVariable) + std::string(16, '\0'));
  variables.push_back(fmt::format("LISTEN_FDS={}", listeners.size()));
  std::string names = "LISTEN_FDNAMES=";
  for (std::size_t i = 0; i < listeners.size(); ++i) {
    if (i != 0) names += ':';
    names += listeners[i].secure ? "https" : "http";
  }
  variables.push_back(std::move(names));
  variables.push_back(
      fmt::format("{}={}", kReadyVariable, kFirstDescriptor + static_cast<int>(listeners.size())));
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool own = std::ranges::any_of(
        kOwnVariables, [&](std::string_view name) { return text.starts_with(name); });
    if (!own) variables.emplace_back(text);
  }
  return variables;
}

std::string end_of_process(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("it was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("it ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string program_path(const char* argv0) {
  const auto canonical = [](const std::string& path) { return ::access(path.c_str(), X_OK) == 0; };
  if (argv0 != nullptr && std::strchr(argv0, '/') != nullptr) {
    std::string path = argv0;
    if (path[0] != '/') {
      const std::unique_ptr<char, void (*)(void*)> here(::getcwd(nullptr, 0), std::free);
      if (here != nullptr) path = std::string(here.get()) + "/" + path;
    }
    if (canonical(path)) return path;
  }
  std::string target(4096, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", target.data(), target.size());
  target.resize(static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return target;
}

Result<Successor> Successor::start(const std::string& program,
                                   const std::vector<std::string>& arguments,
                                   const std::vector<server::ListenerView>& listeners) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(Error::from_errno(errno, "pipe"));
  net::UniqueFd reading(ends[0]);
  net::UniqueFd writing(ends[1]);

  // Out of the way of the numbers that they will have.
  const int count = static_cast<int>(listeners.size()) + 1;
  std::vector<net::UniqueFd> sources;
  for (int i = 0; i < count; ++i) {
    const int fd =
        i + 1 < count ? listeners[static_cast<std::size_t>(i)].descriptor : writing.get();
    sources.emplace_back(::fcntl(fd, F_DUPFD_CLOEXEC, kFirstDescriptor + count));
    if (!sources.back().valid()) {
      return std::unexpected(Error::from_errno(errno, "listeners for the new process"));
    }
  }
  writing.reset();
  std::vector<std::string> argument_texts = arguments;
  std::vector<std::string> variables = environment_for(listeners);
  const std::vector<char*> argument_list = pointers(argument_texts);
  const std::vector<char*> variable_list = pointers(variables);
  char* const pid_text = variables.front().data() + kPidVariable.size();

  const pid_t pid = ::fork();
  if (pid < 0) return std::unexpected(Error::from_errno(errno, "fork"));
  if (pid == 0) {
    // Signals stay blocked, as the new process wants them from its first moment.
    for (int i = 0; i < count; ++i) {
      if (::dup2(sources[static_cast<std::size_t>(i)].get(), kFirstDescriptor + i) < 0)
        ::_exit(126);
    }
    write_number(pid_text, ::getpid());
    ::execve(program.c_str(), argument_list.data(), variable_list.data());
    // The pipe's end is still open here: tell why.
    const char* reason = ::strerrordesc_np(errno);
    constexpr std::string_view kWhat = "cannot be executed: ";
    const int pipe = kFirstDescriptor + count - 1;
    static_cast<void>(!::write(pipe, kWhat.data(), kWhat.size()));
    if (reason != nullptr) static_cast<void>(!::write(pipe, reason, std::strlen(reason)));
    ::_exit(127);
  }
  return Successor(pid, std::move(reading));
}

Successor::State Successor::wait(Deadline deadline) {
  while (state_ == State::kStarting) {
    const Instant now = Instant::now();
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        std::max(deadline.when() - now, Duration::zero()));
    pollfd news{.fd = pipe_.get(), .events = POLLIN, .revents = 0};
    const int ready =
        ::poll(&news, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready == 0 && deadline.passed(Instant::now())) return state_;
    if (ready <= 0) continue;
    char buffer[256];
    const ssize_t size = ::read(pipe_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size > 0) received_.append(buffer, static_cast<std::size_t>(size));
    if (received_ == "ready\n") {
      state_ = State::kReady;
      pipe_.reset();
    } else if (size <= 0 || received_.size() > kLongestReason) {
      fail(received_.substr(0, std::min(received_.find('\n'), kLongestReason)));
    }
  }
  return state_;
}

// The other end was closed: the process has ended, or is about to.
void Successor::fail(std::string why) {
  pipe_.reset();
  int status = 0;
  constexpr int kPatience = 200;  // of 10 ms
  pid_t ended = 0;
  for (int i = 0; i < kPatience && ended == 0; ++i) {
    ended = ::waitpid(pid_, &status, WNOHANG);
    if (ended == 0) ::poll(nullptr, 0, 10);
  }
  if (ended == 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, &status, 0);
  }
  state_ = State::kFailed;
  failure_ = why.empty() ? end_of_process(status) : std::move(why);
}

void Successor::give_up(std::string why) {
  if (state_ != State::kStarting) return;
  ::kill(pid_, SIGKILL);
  fail(std::move(why));
}

}  // namespace perch::perchd
