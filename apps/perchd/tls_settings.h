// From the [tls] table to what https listeners use, at the start and after each reload.
#pragma once

#include <chrono>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "perch/base/clock.h"
#include "perch/tls/server_context.h"
#include "perch/tls/ticket_keys.h"
#include "perchd/config.h"
#include "perchd/self_signed_store.h"

namespace perch::perchd {

// Some listener is for https.
bool listens_securely(const Config& config);

struct LoadedTls {
  std::shared_ptr<const tls::ServerContext> context;
  std::vector<std::string> remarks;  // for the log, as warnings
};

// Thread-safety: none; the main thread.
class TlsSettings {
 public:
  // `state_directory` may be "".
  explicit TlsSettings(std::string state_directory)
      : state_directory_(std::move(state_directory)) {}

  // Reads what `config` names. On an error nothing has changed: the ticket keys stay what they
  // were.
  std::expected<LoadedTls, ConfigError> load(const Config& config);

  // When random ticket keys are to be rotated next, or never.
  Deadline next_rotation() const { return next_rotation_; }
  // Rotates them if it is time. True when it was.
  bool rotate_if_due(Instant now);

 private:
  std::expected<tls::CertificateFiles, ConfigError> default_certificate(
      const Config& config, std::vector<std::string>& remarks);

  std::string state_directory_;
  // One object for all contexts, so that tickets outlive a reload.
  std::shared_ptr<tls::TicketKeys> ticket_keys_ = tls::TicketKeys::random();
  bool random_keys_ = true;
  Duration rotation_{};
  Deadline next_rotation_ = Deadline::never();
  std::optional<SelfSigned> self_signed_;
  std::vector<std::string> self_signed_names_;
};

// For --check: whether the files can be used, without making or keeping anything.
std::expected<std::vector<std::string>, ConfigError> check_tls(const Config& config);

}  // namespace perch::perchd
