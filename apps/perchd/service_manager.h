// What systemd is told about the service: sd_notify(3)'s protocol, without its library.
#pragma once

#include <string>
#include <string_view>

namespace perch::perchd {

// Says nothing where no manager listens. Thread-safety: none.
class ServiceManager {
 public:
  // Takes $NOTIFY_SOCKET, which stays in the environment for a process that takes over.
  ServiceManager();
  explicit ServiceManager(std::string socket) : socket_(std::move(socket)) {}

  // Serving; also when a reload is over. Names this process as the main one, which it may not have
  // been before.
  void ready();
  void reloading();
  void stopping();

 private:
  void send(std::string_view state);

  std::string socket_;  // a path, or "@" and a name
};

}  // namespace perch::perchd
