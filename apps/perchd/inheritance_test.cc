// What a process is started with, and starting one: the other process is this test program's
// stand-in, a shell.
#include "perchd/inheritance.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include <gtest/gtest.h>

#include "perch/net/endpoint.h"
#include "perch/net/listen.h"
#include "perchd/successor.h"
#include "perchd/test_folder.h"

namespace perch::perchd {
namespace {

using std::chrono::seconds;
using testing::Folder;

net::UniqueFd listener() { return *net::listen(net::resolve("127.0.0.1", 0)->front()); }

// Runs a script with the listeners of a server, as `start` does with a program.
Result<Successor> start_script(const Folder& folder, std::string_view script,
                               const std::vector<server::ListenerView>& listeners) {
  const std::string file = folder.write("program", "#!/bin/sh\n" + std::string(script));
  ::chmod(file.c_str(), 0755);
  return Successor::start(file, {"perchd", "--flag"}, listeners);
}

TEST(Inheritance, IsNothingWhereTheVariablesAreForAnother) {
  ::setenv("LISTEN_PID", "1", 1);
  ::setenv("LISTEN_FDS", "1", 1);
  ::setenv("LISTEN_FDNAMES", "http", 1);
  const Inheritance inheritance = take_inheritance();
  EXPECT_TRUE(inheritance.listeners.empty());
  EXPECT_FALSE(inheritance.predecessor.exists());
  EXPECT_EQ(std::getenv("LISTEN_PID"), nullptr);
  EXPECT_EQ(std::getenv("LISTEN_FDS"), nullptr);
  EXPECT_EQ(std::getenv("LISTEN_FDNAMES"), nullptr);
}

// In a process of its own, which can have the low descriptors.
TEST(Inheritance, TakesListenersWithTheirNames) {
  const net::UniqueFd a = listener();
  const net::UniqueFd b = listener();
  const pid_t pid = ::fork();
  if (pid == 0) {
    const int high_a = ::fcntl(a.get(), F_DUPFD, 100);
    const int high_b = ::fcntl(b.get(), F_DUPFD, 100);
    ::dup2(high_a, 3);
    ::dup2(high_b, 4);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "2", 1);
    ::setenv("LISTEN_FDNAMES", "perchd.socket:https", 1);
    Inheritance inheritance = take_inheritance();
    const bool good =
        inheritance.listeners.size() == 2 && inheritance.listeners[0].socket.get() == 3 &&
        inheritance.listeners[0].scheme.empty() && inheritance.listeners[1].scheme == "https" &&
        (::fcntl(3, F_GETFD) & FD_CLOEXEC) != 0 && !inheritance.predecessor.exists();
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(Successor, GetsTheListenersAndTellsWhenItIsReady) {
  const Folder folder;
  const net::UniqueFd a = listener();
  const net::UniqueFd b = listener();
  auto successor = start_script(
      folder,
      "[ \"$LISTEN_PID\" = $$ ] || exit 10\n"
      "[ \"$LISTEN_FDS $LISTEN_FDNAMES $PERCHD_READY_FD\" = '2 http:https 5' ] || exit 11\n"
      "[ \"$*\" = --flag ] || exit 12\n"
      "[ -S /proc/$$/fd/3 ] && [ -S /proc/$$/fd/4 ] || exit 13\n"
      "echo ready >&5; exec 5>&-; read forever <" +
          folder.write("fifo", "x") + "\n",
      {{a.get(), "http://a", false}, {b.get(), "https://b", true}});
  ASSERT_TRUE(successor.has_value()) << successor.error().message();
  EXPECT_EQ(successor->wait(Deadline::after(seconds(30))), Successor::State::kReady)
      << successor->failure();
  ::waitpid(successor->pid(), nullptr, 0);
}

TEST(Successor, TellsWhyItFailed) {
  const Folder folder;
  auto speaks = start_script(folder, "echo 'the root is missing' >&3; exit 1\n", {});
  EXPECT_EQ(speaks->wait(Deadline::after(seconds(30))), Successor::State::kFailed);
  EXPECT_EQ(speaks->failure(), "the root is missing");
  auto silent = start_script(folder, "exit 3\n", {});
  EXPECT_EQ(silent->wait(Deadline::after(seconds(30))), Successor::State::kFailed);
  EXPECT_EQ(silent->failure(), "it ended with exit code 3");
  auto killed = start_script(folder, "kill -9 $$\n", {});
  EXPECT_EQ(killed->wait(Deadline::after(seconds(30))), Successor::State::kFailed);
  EXPECT_EQ(killed->failure(), "it was ended by signal 9 (Killed)");
  auto missing = Successor::start("/nowhere/perchd", {"perchd"}, {});
  ASSERT_TRUE(missing.has_value());
  EXPECT_EQ(missing->wait(Deadline::after(seconds(30))), Successor::State::kFailed);
  EXPECT_EQ(missing->failure(), "cannot be executed: No such file or directory");
}

TEST(Successor, IsGivenUpWhenItTakesTooLong) {
  const Folder folder;
  auto successor = start_script(folder, "exec sleep 600\n", {});
  EXPECT_EQ(successor->wait(Deadline::after(std::chrono::milliseconds(20))),
            Successor::State::kStarting);
  successor->give_up("too slow");
  EXPECT_EQ(successor->wait(Deadline::never()), Successor::State::kFailed);
  EXPECT_EQ(successor->failure(), "too slow");
  EXPECT_EQ(::waitpid(successor->pid(), nullptr, WNOHANG), -1);  // it was waited for
}

TEST(ProgramPath, IsWhatTheFirstArgumentNames) {
  const Folder folder;
  const std::string file = folder.write("perchd", "");
  ::chmod(file.c_str(), 0755);
  EXPECT_EQ(program_path(file.c_str()), file);
  const std::string self = program_path("perchd_daemon_test");
  EXPECT_EQ(program_path(nullptr), self);
  EXPECT_EQ(self.substr(self.rfind('/')), "/perchd_daemon_test");
}

}  // namespace
}  // namespace perch::perchd
