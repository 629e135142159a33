#include "perchd/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include <gtest/gtest.h>

#include "perch/net/unique_fd.h"
#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

class Manager {
 public:
  explicit Manager(const std::string& name) : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name[0] == '@') address.sun_path[0] = '\0';
    EXPECT_EQ(::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&address),
                     static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size())),
              0);
  }
  std::string received() {
    char buffer[512];
    const ssize_t size = ::recv(fd_.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    return size < 0 ? "" : std::string(buffer, static_cast<std::size_t>(size));
  }

 private:
  net::UniqueFd fd_;
};

TEST(ServiceManager, IsToldByAPathAndByAnAbstractName) {
  const testing::Folder folder;
  const std::string ready = "READY=1\nMAINPID=" + std::to_string(::getpid()) + "\n";
  for (const std::string& name :
       {folder.path("notify"), "@perchd-test-" + std::to_string(::getpid())}) {
    Manager manager(name);
    ServiceManager service(name);
    service.ready();
    EXPECT_EQ(manager.received(), ready);
    service.reloading();
    EXPECT_TRUE(manager.received().starts_with("RELOADING=1\nMONOTONIC_USEC="));
    service.stopping();
    EXPECT_EQ(manager.received(), "STOPPING=1\n");
  }
}

TEST(ServiceManager, NeedNotBeThere) {
  ServiceManager("").ready();
  ServiceManager("/nowhere/notify").ready();
  ServiceManager("relative").ready();
  ServiceManager("/" + std::string(200, 'x')).ready();
}

}  // namespace
}  // namespace perch::perchd
