// perchd at work: from the configuration to the last connection, and what its signals do.
//
//   SIGTERM, SIGINT   drain, then end; a second one cuts short what is still open
//   SIGHUP            reload: certificates, files, logs
//   SIGUSR2           start the program anew with the same sockets; once that serves, drain and end
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perch/server/server.h"
#include "perchd/config.h"
#include "perchd/current_sites.h"
#include "perchd/inheritance.h"
#include "perchd/logs.h"
#include "perchd/service_manager.h"
#include "perchd/tls_settings.h"

namespace perch::perchd {

struct StartedAs {
  std::string program;                 // see program_path
  std::vector<std::string> arguments;  // the first is the program's name
  Inheritance inheritance;
};

// Thread-safety: none; the main thread, which has blocked the signals.
class Daemon {
 public:
  // Reads the configuration again, as at the start.
  using Reload = std::function<std::expected<Config, ConfigErrors>()>;

  Daemon(Config config, StartedAs started_as, Reload reload);

  // Serves until a signal ends it. Returns the exit code.
  int run();

 private:
  std::expected<void, std::string> set_up();
  std::expected<void, std::string> listen();
  void announce();
  void wait_for_the_end();
  void rotate_ticket_keys();
  void reload();
  void reopen_logs(const Config& config);
  void reload_tls(const Config& config);
  void reload_sites(const Config& config);
  // True when a new process serves.
  bool upgrade();
  int drain();
  void log(server::LogLevel level, std::string_view line) { logs_.write(level, line); }

  Config config_;  // what is in force
  StartedAs started_as_;
  Reload reload_;
  Logs logs_;  // outlives the server
  ServiceManager manager_;
  TlsSettings tls_;
  std::unique_ptr<CurrentSites> sites_;  // outlives the server
  std::optional<server::Server> server_;
  bool secure_ = false;  // some listener is for https
  bool handed_over_ = false;
};

}  // namespace perch::perchd
