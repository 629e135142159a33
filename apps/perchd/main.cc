// perchd: serves directories over HTTP/2 and HTTP/1.1, in clear and over TLS.
#include <cstdio>
#include <exception>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "perch/net/signals.h"
#include "perchd/config.h"
#include "perchd/daemon.h"
#include "perchd/inheritance.h"
#include "perchd/preflight.h"
#include "perchd/privileges.h"
#include "perchd/successor.h"
#include "perchd/tls_settings.h"

namespace {

using namespace perch;

// What --check looks at beyond the configuration itself.
perchd::ConfigErrors check_more(const perchd::Config& config, perchd::ReportLines& report) {
  perchd::ConfigErrors errors;
  if (auto identity = perchd::find_identity(config.process); !identity) {
    errors.push_back(std::move(identity.error()));
  } else if (*identity) {
    report.emplace_back("user", (*identity)->user);
  }
  if (!perchd::listens_securely(config)) return errors;
  if (config.tls.certificates.empty()) {
    report.emplace_back("tls", "a self-signed certificate, since none is configured");
  } else if (auto remarks = perchd::check_tls(config); !remarks) {
    errors.push_back(std::move(remarks.error()));
  } else {
    for (const auto& certificate : config.tls.certificates) {
      report.emplace_back("tls", certificate.certificate);
    }
    for (const std::string& remark : *remarks) report.emplace_back("warning", remark);
  }
  return errors;
}

}  // namespace

int main(int argc, char** argv) {
  net::block_signals();
  perchd::StartedAs started_as{.program = perchd::program_path(argv[0]),
                               .arguments = std::vector<std::string>(argv, argv + argc),
                               .inheritance = perchd::take_inheritance()};
  auto invocation = perchd::load(argc, argv);
  if (!invocation && !invocation.error().empty()) {
    started_as.inheritance.predecessor.failed(perchd::to_string(invocation.error().front()));
  }
  if (const std::optional<int> code = perchd::finish_early(invocation, check_more)) return *code;
  const auto load_again = [argc, argv]() -> std::expected<perchd::Config, perchd::ConfigErrors> {
    auto again = perchd::load(argc, argv);
    if (!again) return std::unexpected(std::move(again.error()));
    return std::move(again->config);
  };
  try {
    return perchd::Daemon(std::move(invocation->config), std::move(started_as), load_again).run();
  } catch (const std::exception& exception) {
    fmt::print(stderr, "perchd: {}\n", exception.what());
    return 1;
  }
}
