#include "perchd/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "perch/net/unique_fd.h"

namespace perch::perchd {

ServiceManager::ServiceManager() {
  if (const char* socket = std::getenv("NOTIFY_SOCKET"); socket != nullptr) socket_ = socket;
}

void ServiceManager::ready() { send(fmt::format("READY=1\nMAINPID={}\n", ::getpid())); }

void ServiceManager::reloading() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  send(fmt::format("RELOADING=1\nMONOTONIC_USEC={}\n",
                   static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000));
}

void ServiceManager::stopping() { send("STOPPING=1\n"); }

// A manager that cannot be reached is no reason not to serve.
void ServiceManager::send(std::string_view state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_.size() < 2 || socket_.size() >= sizeof address.sun_path) return;
  if (socket_[0] != '/' && socket_[0] != '@') return;
  std::memcpy(address.sun_path, socket_.data(), socket_.size());
  if (socket_[0] == '@') address.sun_path[0] = '\0';  // an abstract name
  const net::UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return;
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
  static_cast<void>(::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                             reinterpret_cast<const sockaddr*>(&address), size));
}

}  // namespace perch::perchd
