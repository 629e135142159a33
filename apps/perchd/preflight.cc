#include "perchd/preflight.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iterator>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "perch/net/descriptor_limit.h"
#include "perch/net/endpoint.h"
#include "perch/net/listen_url.h"
#include "perch/task/cpu_count.h"
#include "perchd/units.h"

namespace perch::perchd {
namespace {

constexpr std::size_t kProcessDescriptors = 32;  // standard streams, signals, log, root
constexpr std::size_t kWorkerDescriptors = 4;    // epoll, eventfd, timer, a spare one

bool same_address(const sockaddr* a, const sockaddr* b) {
  if (a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                            &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr);
}

bool any_or_loopback(const sockaddr* address) {
  if (address->sa_family == AF_INET) {
    const auto ip = ntohl(reinterpret_cast<const sockaddr_in*>(address)->sin_addr.s_addr);
    return ip == INADDR_ANY || (ip >> 24) == 127;
  }
  const auto& ip = reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  return IN6_IS_ADDR_UNSPECIFIED(&ip) || IN6_IS_ADDR_LOOPBACK(&ip);
}

bool belongs_to_this_machine(const sockaddr* address) {
  if (address->sa_family != AF_INET && address->sa_family != AF_INET6) return false;
  if (any_or_loopback(address)) return true;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return true;  // unknown: binding will tell
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(all, freeifaddrs);
  for (const ifaddrs* one = all; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr != nullptr && same_address(one->ifa_addr, address)) return true;
  }
  return false;
}

// Root has it, and so has a service that was given just this one.
bool may_bind_low_ports() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return true;  // unknown: binding will tell
  return (data[0].effective & (1U << CAP_NET_BIND_SERVICE)) != 0;
}

// The lowest port that needs no privilege.
unsigned first_unprivileged_port() {
  unsigned port = 1024;
  if (std::FILE* file = std::fopen("/proc/sys/net/ipv4/ip_unprivileged_port_start", "re")) {
    if (std::fscanf(file, "%u", &port) != 1) port = 1024;
    std::fclose(file);
  }
  return port;
}

std::optional<ConfigError> check_address(const std::string& url) {
  const auto address = net::parse_listen_url(url);
  if (!address) return ConfigError{"listen", fmt::format("{:?} {}", url, address.error()), ""};
  const auto found = net::resolve(address->host, address->port);
  if (!found) {
    return ConfigError{"listen",
                       fmt::format("{} does not resolve: {}", url, found.error().message()),
                       "expected a name or an address of this machine"};
  }
  const bool ours = std::ranges::any_of(*found, [](const net::Endpoint& one) {
    return belongs_to_this_machine(static_cast<const sockaddr*>(one.sockaddr()));
  });
  if (!ours) {
    return ConfigError{"listen", fmt::format("{} is not an address of this machine", url),
                       "expected one, such as 0.0.0.0 for all"};
  }
  if (address->port != 0 && address->port < first_unprivileged_port() && !may_bind_low_ports()) {
    return ConfigError{
        "listen",
        fmt::format("{} needs the privilege to use ports below {}", url, first_unprivileged_port()),
        "expected a higher port, or CAP_NET_BIND_SERVICE"};
  }
  return std::nullopt;
}

std::optional<ConfigError> check_directory(std::string_view setting, const std::string& directory) {
  const auto wrong = [&](std::string_view why) {
    return ConfigError{std::string(setting), fmt::format("{:?}: {}", directory, why),
                       "expected a directory to serve"};
  };
  struct stat status;
  if (::stat(directory.c_str(), &status) != 0) return wrong(std::generic_category().message(errno));
  if (!S_ISDIR(status.st_mode)) return wrong("not a directory");
  if (::access(directory.c_str(), R_OK | X_OK) != 0)
    return wrong(std::generic_category().message(errno));
  return std::nullopt;
}

}  // namespace

std::optional<ConfigError> check_root(const Config& config) {
  if (auto error = check_directory("root", config.root)) return error;
  for (const Host& host : config.hosts) {
    if (host.root.empty()) continue;
    if (auto error = check_directory("host.root", host.root)) return error;
  }
  return std::nullopt;
}

ConfigErrors check_listen(const Config& config) {
  ConfigErrors errors;
  for (const std::string& url : config.listen) {
    if (auto error = check_address(url)) errors.push_back(std::move(*error));
  }
  return errors;
}

unsigned worker_count(const Config& config) {
  return config.workers != 0 ? config.workers : task::usable_cpus();
}

std::size_t reserved_descriptors(const Config& config) {
  return kProcessDescriptors +
         worker_count(config) * (kWorkerDescriptors + 2 * config.listen.size() +
                                 config.file_cache.open_files * (1 + config.hosts.size()));
}

DescriptorLimit raise_descriptor_limit(const Config& config) {
  DescriptorLimit result;
  result.descriptors = net::raise_descriptor_limit().value_or(0);
  result.connections =
      result.descriptors - std::min(result.descriptors, reserved_descriptors(config));
  return result;
}

std::expected<std::string, ConfigErrors> check(const Config& config, const MoreChecks& more) {
  ConfigErrors errors = check_listen(config);
  ReportLines more_lines;
  if (more) {
    ConfigErrors found = more(config, more_lines);
    errors.insert(errors.end(), std::make_move_iterator(found.begin()),
                  std::make_move_iterator(found.end()));
  }
  if (auto error = check_root(config)) errors.insert(errors.begin(), std::move(*error));
  const DescriptorLimit limit = raise_descriptor_limit(config);
  if (limit.connections == 0) {
    errors.push_back(
        {"descriptors",
         fmt::format("the limit of {} leaves none for connections: {} are reserved",
                     limit.descriptors, reserved_descriptors(config)),
         "expected a higher `ulimit -n`, fewer workers or a smaller file_cache.open_files"});
  }
  if (!errors.empty()) return std::unexpected(std::move(errors));

  std::string report = "The configuration is good.\n";
  const auto line = [&](std::string_view name, const std::string& value) {
    report += fmt::format("  {:<12} {}\n", name, value);
  };
  line("root", config.root);
  for (const Host& host : config.hosts) {
    line("host", fmt::format("{}: {}", fmt::join(host.names, ", "),
                             host.root.empty() ? config.root : host.root));
  }
  for (const std::string& url : config.listen) line("listen", url);
  line("workers", std::to_string(worker_count(config)));
  line("parking", config.parking ? fmt::format("after {} without a request",
                                               format_duration(config.timeouts.parking_grace))
                                 : "off");
  line("idle", fmt::format("closed after {}", format_duration(config.timeouts.http2_idle)));
  line("connections",
       fmt::format("at most {}: {} descriptors, of which {} are kept for files and listeners",
                   limit.connections, limit.descriptors, reserved_descriptors(config)));
  for (const auto& [name, value] : more_lines) line(name, value);
  return report;
}

std::optional<int> finish_early(const std::expected<Invocation, ConfigErrors>& invocation,
                                const MoreChecks& more) {
  constexpr int kMistake = 2;
  const auto complain = [](const ConfigErrors& errors) {
    for (const ConfigError& error : errors) fmt::print(stderr, "{}\n", to_string(error));
    return kMistake;
  };
  if (!invocation) return complain(invocation.error());
  switch (invocation->action) {
    case Action::kServe:
      return std::nullopt;
    case Action::kPrint:
      fmt::print("{}", invocation->text);
      return 0;
    case Action::kCheck: {
      const auto report = check(invocation->config, more);
      if (!report) return complain(report.error());
      fmt::print("{}", *report);
      return 0;
    }
  }
  return std::nullopt;
}

}  // namespace perch::perchd
