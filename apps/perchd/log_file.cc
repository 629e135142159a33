#include "perchd/log_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace perch::perchd {
namespace {

constexpr std::size_t kMostGathered = 64 * 1024;

// Standard error may be a pipe that somebody made non-blocking.
bool write_all(int fd, std::string_view text) {
  constexpr int kPatience = 1000;  // ms
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait{.fd = fd, .events = POLLOUT, .revents = 0};
      if (::poll(&wait, 1, kPatience) == 0) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string_view colour_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::warn:
      return "\033[33m\033[1m";
    case spdlog::level::err:
      return "\033[31m\033[1m";
    case spdlog::level::info:
      return "\033[32m";
    default:
      return "";
  }
}

}  // namespace

Result<net::UniqueFd> open_log(const std::string& name) {
  const int fd =
      name == "stderr"
          ? ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
          : ::open(name.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0640);
  if (fd < 0) return std::unexpected(Error::from_errno(errno, name));
  return net::UniqueFd(fd);
}

LogFile::LogFile(net::UniqueFd fd, std::function<bool()> more_to_come)
    : fd_(std::move(fd)),
      more_to_come_(std::move(more_to_come)),
      colour_(::isatty(fd_.get()) == 1) {}

void LogFile::replace(net::UniqueFd fd) {
  const std::lock_guard lock(mutex_);
  flush_();
  fd_ = std::move(fd);
  colour_ = ::isatty(fd_.get()) == 1;
}

std::size_t LogFile::lines_lost() {
  const std::lock_guard lock(mutex_);
  return lines_lost_;
}

void LogFile::sink_it_(const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  const std::string_view text(line.data(), line.size());
  if (colour_ && message.color_range_end > message.color_range_start) {
    gathered_ += text.substr(0, message.color_range_start);
    gathered_ += colour_of(message.level);
    gathered_ +=
        text.substr(message.color_range_start, message.color_range_end - message.color_range_start);
    gathered_ += "\033[m";
    gathered_ += text.substr(message.color_range_end);
  } else {
    gathered_ += text;
  }
  ++gathered_lines_;
  if (gathered_.size() >= kMostGathered || !more_to_come_()) flush_();
}

void LogFile::flush_() {
  if (gathered_.empty()) return;
  if (!write_all(fd_.get(), gathered_)) lines_lost_ += gathered_lines_;
  gathered_.clear();
  gathered_lines_ = 0;
}

}  // namespace perch::perchd
