// What a process was started with: listening sockets from systemd or from the perchd that it takes
// over from, and in the latter case a pipe to tell that one how the start went.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "perch/net/unique_fd.h"
#include "perch/server/server.h"

namespace perch::perchd {

// The environment of a process that is started with sockets: as systemd's sd_listen_fds(3), from
// descriptor 3 on.
inline constexpr int kFirstDescriptor = 3;
inline constexpr const char* kReadyVariable = "PERCHD_READY_FD";

// What the predecessor reads: "ready\n", or a line that says why there will be nothing, or the end.
class Predecessor {
 public:
  Predecessor() = default;  // none: nothing is told
  explicit Predecessor(net::UniqueFd pipe) : pipe_(std::move(pipe)) {}

  bool exists() const { return pipe_.valid(); }
  // Each is told once.
  void ready();
  void failed(std::string_view why);

 private:
  void tell(std::string_view line);
  net::UniqueFd pipe_;
};

struct Inheritance {
  std::vector<server::InheritedListener> listeners;
  Predecessor predecessor;
};

// Takes LISTEN_PID, LISTEN_FDS, LISTEN_FDNAMES and the pipe's variable out of the environment.
// Sockets that are meant for another process are left alone. A name of "http" or "https" is the
// listener's scheme; any other says nothing. Before other threads start.
Inheritance take_inheritance();

}  // namespace perch::perchd
