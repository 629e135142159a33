#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>
#include <system_error>

#include "perchd/config.h"
#include "perchd/flags.h"

namespace perch::perchd {
namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

ConfigErrors unreadable(std::string what) {
  return {{"--config", std::move(what), "expected a TOML file of at most 1 MiB"}};
}

std::expected<std::string, ConfigErrors> read_file(const std::string& name) {
  const int fd = ::open(name.c_str(), O_RDONLY | O_CLOEXEC);
  const auto failed = [&] {
    return std::unexpected(
        unreadable("cannot read " + name + ": " + std::generic_category().message(errno)));
  };
  if (fd < 0) return failed();
  std::string text;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      auto error = failed();
      ::close(fd);
      return error;
    }
    if (n == 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
    if (text.size() > kLargestFile) {
      ::close(fd);
      return std::unexpected(unreadable("cannot read " + name + ": it is too large"));
    }
  }
  ::close(fd);
  return text;
}

}  // namespace

std::expected<Invocation, ConfigErrors> load(int argc, const char* const* argv) {
  const auto flags = parse_flags(argc, argv);
  if (!flags) return std::unexpected(flags.error());
  if (flags->print)
    return Invocation{.action = Action::kPrint, .config = {}, .text = *flags->print};

  Config config;
  ConfigErrors errors;
  if (flags->config_file) {
    const auto text = read_file(*flags->config_file);
    auto read = text ? parse_toml(*text, *flags->config_file) : std::unexpected(text.error());
    if (read) {
      config = std::move(*read);
    } else {
      errors = std::move(read.error());
    }
  }
  auto applied = apply(*flags, std::move(config));
  if (!applied) {
    errors.insert(errors.end(), std::make_move_iterator(applied.error().begin()),
                  std::make_move_iterator(applied.error().end()));
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));
  return Invocation{.action = flags->check ? Action::kCheck : Action::kServe,
                    .config = std::move(*applied),
                    .text = {}};
}

}  // namespace perch::perchd
