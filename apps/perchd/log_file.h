// Where log lines end up: a descriptor that can be replaced while others write, for log rotation.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include <spdlog/sinks/base_sink.h>

#include "perch/base/error.h"
#include "perch/net/unique_fd.h"

namespace perch::perchd {

// "stderr" or a file, which is made with mode 0640 and appended to. Errors name it.
Result<net::UniqueFd> open_log(const std::string& name);

// Lines are gathered while more of them are waiting, and written when none is. What cannot be
// written (a full disk) is dropped and counted: a log must not stop the server.
class LogFile final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  // `more_to_come` is asked after each line.
  LogFile(net::UniqueFd fd, std::function<bool()> more_to_come);

  // What was gathered still goes to the old one.
  void replace(net::UniqueFd fd);
  std::size_t lines_lost();

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override;

 private:
  net::UniqueFd fd_;
  std::function<bool()> more_to_come_;
  std::string gathered_;
  std::size_t gathered_lines_ = 0;
  std::size_t lines_lost_ = 0;
  bool colour_;
};

}  // namespace perch::perchd
