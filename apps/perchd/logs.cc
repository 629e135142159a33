#include "perchd/logs.h"

#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>

#include "perchd/access_log.h"
#include "perchd/log_file.h"

namespace perch::perchd {
namespace {

constexpr std::size_t kErrorQueue = 4096;
constexpr auto kBetweenDropWarnings = std::chrono::seconds(10);

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::kTrace:
      return spdlog::level::trace;
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

spdlog::level::level_enum spdlog_level(server::LogLevel level) {
  switch (level) {
    case server::LogLevel::kDebug:
      return spdlog::level::debug;
    case server::LogLevel::kInfo:
      return spdlog::level::info;
    case server::LogLevel::kWarning:
      return spdlog::level::warn;
    case server::LogLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

// Texts of exceptions and of the system may hold what would look like lines of their own.
std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      fmt::format_to(std::back_inserter(line), "\\x{:02X}", byte);
    } else {
      line += c;
    }
  }
  return line;
}

bool has_control_character(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) return true;
  }
  return false;
}

}  // namespace

// A file with the thread that writes it.
struct Logs::Stream {
  // `after_line` is called by that thread.
  Stream(std::string name, net::UniqueFd fd, std::size_t queue, const char* pattern,
         std::function<void()> after_line = {})
      : pool(std::make_shared<spdlog::details::thread_pool>(queue, 1)),
        raw_pool(pool.get()),
        file(std::make_shared<LogFile>(std::move(fd),
                                       [raw = raw_pool, after = std::move(after_line)] {
                                         if (after) after();
                                         return raw->queue_size() != 0;
                                       })),
        logger(std::make_shared<spdlog::async_logger>(
            std::move(name), file, pool, spdlog::async_overflow_policy::overrun_oldest)) {
    logger->set_pattern(pattern, spdlog::pattern_time_type::utc);
  }
  ~Stream() { stop(); }

  // The pool's thread ends when all that is queued is written. REQUIRES: nobody logs any more.
  void stop() {
    pool.reset();
    file->flush();
  }

  std::shared_ptr<spdlog::details::thread_pool> pool;
  // For the pool's own thread: if that held the last reference, it would have to wait for itself.
  spdlog::details::thread_pool* raw_pool;
  std::shared_ptr<LogFile> file;
  std::shared_ptr<spdlog::async_logger> logger;
  std::uint64_t drops_told = 0;
  std::chrono::steady_clock::time_point told_at{};
};

namespace {

constexpr const char* kErrorPattern = "%Y-%m-%dT%H:%M:%S.%eZ perchd[%P] %^%l%$ %v";

}  // namespace

Logs::Logs()
    : errors_(std::make_unique<Stream>("perchd", open_log("stderr").value_or(net::UniqueFd()),
                                       kErrorQueue, kErrorPattern)) {}

Logs::~Logs() {
  // The access log's thread looks at `access_`, and may have something to say in the error log.
  if (access_ != nullptr) access_->stop();
}

Result<void> Logs::open(const Config& config) {
  errors_->logger->set_level(spdlog_level(config.log_level));
  auto errors = open_log(config.log_file);
  if (!errors) return std::unexpected(std::move(errors.error()));
  errors_->file->replace(std::move(*errors));
  access_format_.store(config.access_log.format, std::memory_order_relaxed);
  if (config.access_log.file.empty()) return {};
  auto access = open_log(config.access_log.file);
  if (!access) return std::unexpected(std::move(access.error()));
  access_ = std::make_unique<Stream>("access", std::move(*access), config.access_log.queue, "%v",
                                     [this] { note_drops(); });
  return {};
}

std::vector<std::string> Logs::reopen(const Config& config) {
  std::vector<std::string> failures;
  const auto again = [&](Stream& stream, const std::string& name, std::string_view what) {
    auto fd = open_log(name);
    if (fd) return stream.file->replace(std::move(*fd));
    failures.push_back(fmt::format("{} stays where it was: {}", what, fd.error().message()));
  };
  errors_->logger->set_level(spdlog_level(config.log_level));
  again(*errors_, config.log_file, "log_file");
  access_format_.store(config.access_log.format, std::memory_order_relaxed);
  if (access_ != nullptr && !config.access_log.file.empty()) {
    again(*access_, config.access_log.file, "access_log.file");
  }
  return failures;
}

void Logs::write(server::LogLevel level, std::string_view line) {
  const auto as = spdlog_level(level);
  if (!errors_->logger->should_log(as)) return;
  if (has_control_character(line)) return errors_->logger->log(as, one_line(line));
  errors_->logger->log(as, line);
}

server::AccessLog Logs::access_log() {
  if (access_ == nullptr) return {};
  return [this](const server::AccessRecord& record) {
    thread_local std::string line;
    line.clear();
    append_access_line(line, access_format_.load(std::memory_order_relaxed), record,
                       std::chrono::system_clock::now());
    access_->logger->log(spdlog::level::info, std::string_view(line));
  };
}

std::uint64_t Logs::lines_dropped() const {
  if (access_ == nullptr) return 0;
  return access_->pool->overrun_counter();
}

// On the access log's thread.
void Logs::note_drops() {
  Stream* stream = access_.get();
  if (stream == nullptr) return;
  const auto now = std::chrono::steady_clock::now();
  if (stream->told_at != std::chrono::steady_clock::time_point{} &&
      now - stream->told_at < kBetweenDropWarnings) {
    return;
  }
  const std::uint64_t dropped = stream->raw_pool->overrun_counter();
  if (dropped == stream->drops_told) return;
  write(server::LogLevel::kWarning,
        fmt::format("access log: {} lines were dropped since they came faster than they could be "
                    "written ({} in all)",
                    dropped - stream->drops_told, dropped));
  stream->drops_told = dropped;
  stream->told_at = now;
}

}  // namespace perch::perchd
