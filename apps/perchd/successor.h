// The process that takes over: the program is started anew, with the listening sockets of this one.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "perch/base/clock.h"
#include "perch/base/error.h"
#include "perch/net/unique_fd.h"
#include "perch/server/server.h"

namespace perch::perchd {

// The program's own file, which an upgrade may have replaced meanwhile: what `argv0` names, if that
// is a path, or else what the kernel says. Asked at the start, while both are true.
std::string program_path(const char* argv0);

// Thread-safety: none; the main thread.
class Successor {
 public:
  enum class State { kStarting, kReady, kFailed };

  // Starts `program` with these arguments (the first of which is its name) and this environment,
  // apart from the variables of sd_listen_fds(3), which name the sockets, and of inheritance.h.
  static Result<Successor> start(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 const std::vector<server::ListenerView>& listeners);

  Successor(Successor&&) noexcept = default;
  // A process that is ready lives on; one that is not has been ended by `give_up`, or ends itself.
  ~Successor() = default;

  // Waits for news at most until `deadline`.
  State wait(Deadline deadline);
  // In kFailed: why. One line.
  const std::string& failure() const { return failure_; }
  pid_t pid() const { return pid_; }
  // Ends a process that is not ready, for this reason.
  void give_up(std::string why);

 private:
  Successor(pid_t pid, net::UniqueFd pipe) : pid_(pid), pipe_(std::move(pipe)) {}
  void fail(std::string why);

  pid_t pid_;
  net::UniqueFd pipe_;
  std::string received_;
  std::string failure_;
  State state_ = State::kStarting;
};

}  // namespace perch::perchd
