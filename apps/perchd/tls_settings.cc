#include "perchd/tls_settings.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "perch/net/listen_url.h"

namespace perch::perchd {
namespace {

tls::ServerContextOptions context_options(const Tls& settings) {
  tls::ServerContextOptions options;
  for (const Certificate& certificate : settings.certificates) {
    options.certificates.push_back({.chain = certificate.certificate,
                                    .key = certificate.key,
                                    .ocsp_response = certificate.ocsp_response});
  }
  // Clients of HTTP/1.0 say so; they are served by the engine of HTTP/1.1.
  options.alpn.push_back("http/1.0");
  options.min_version =
      settings.min_version == TlsVersion::k13 ? tls::Version::kTls13 : tls::Version::kTls12;
  options.session_tickets = settings.session_tickets;
  switch (settings.client_certificates) {
    case ClientCertificates::kOff:
      break;
    case ClientCertificates::kRequest:
      options.client_certificates = tls::ClientCertificates::kRequest;
      break;
    case ClientCertificates::kRequire:
      options.client_certificates = tls::ClientCertificates::kRequire;
      break;
  }
  options.client_ca_file = settings.client_ca;
  // No longer than the key that seals a ticket is sure to be there.
  if (settings.ticket_keys.empty()) {
    const auto sure =
        std::chrono::duration_cast<std::chrono::seconds>(2 * settings.ticket_rotation);
    options.ticket_lifetime = std::min(options.ticket_lifetime, sure);
  }
  return options;
}

// Errors of a context begin with the file that they are about.
ConfigError blame(const Tls& settings, const Error& error) {
  const std::string& message = error.message();
  for (const Certificate& certificate : settings.certificates) {
    for (const std::string& file :
         {certificate.certificate, certificate.key, certificate.ocsp_response}) {
      if (file.empty() || !message.starts_with(file + ":")) continue;
      return {certificate.where.empty() ? "tls.certificates" : certificate.where, message,
              "expected a certificate chain in PEM and its key"};
    }
  }
  if (!settings.client_ca.empty() && message.starts_with(settings.client_ca + ":")) {
    return {"tls.client_ca", message, "expected certificates in PEM"};
  }
  return {"tls", message, "expected certificates and keys in PEM"};
}

}  // namespace

bool listens_securely(const Config& config) {
  return std::ranges::any_of(config.listen, [](const std::string& url) {
    const auto address = net::parse_listen_url(url);
    return address.has_value() && address->secure;
  });
}

std::expected<tls::CertificateFiles, ConfigError> TlsSettings::default_certificate(
    const Config& config, std::vector<std::string>& remarks) {
  std::vector<std::string> names = self_signed_names(config.listen);
  // A reload must not take it from those who trust it by now.
  const auto now = std::chrono::system_clock::now();
  const bool keep = self_signed_ && self_signed_names_ == names && self_signed_->lasts(now);
  if (!keep) {
    Result<SelfSigned> made = self_signed_certificate(names, state_directory_, now);
    if (!made) return std::unexpected(ConfigError{"tls.certificates", made.error().message(), {}});
    self_signed_ = std::move(*made);
    self_signed_names_ = std::move(names);
  }
  remarks.push_back(self_signed_->remark);
  return self_signed_->files;
}

std::expected<LoadedTls, ConfigError> TlsSettings::load(const Config& config) {
  LoadedTls loaded;
  tls::ServerContextOptions options = context_options(config.tls);
  if (options.certificates.empty()) {
    auto files = default_certificate(config, loaded.remarks);
    if (!files) return std::unexpected(std::move(files.error()));
    options.certificates.push_back(std::move(*files));
  }
  const bool random = config.tls.ticket_keys.empty();
  std::shared_ptr<tls::TicketKeys> from_file;
  if (!random) {
    auto keys = tls::TicketKeys::from_file(config.tls.ticket_keys);
    if (!keys) {
      return std::unexpected(ConfigError{"tls.ticket_keys", keys.error().message(),
                                         "expected 1 to 3 keys of 80 bytes"});
    }
    from_file = std::move(*keys);
  }
  options.ticket_keys = ticket_keys_;
  auto context = tls::ServerContext::create(options);
  if (!context) return std::unexpected(blame(config.tls, context.error()));
  loaded.context = std::move(*context);
  for (const std::string& warning : loaded.context->warnings()) {
    loaded.remarks.push_back("TLS: " + warning);
  }

  // Nothing fails from here on.
  if (from_file != nullptr) static_cast<void>(ticket_keys_->replace(from_file->to_bytes()));
  if (random && !random_keys_) {
    static_cast<void>(ticket_keys_->replace(tls::TicketKeys::random()->to_bytes()));
  }
  const bool rotates = random && config.tls.session_tickets;
  if (!rotates) {
    next_rotation_ = Deadline::never();
  } else if (next_rotation_.is_never() || rotation_ != config.tls.ticket_rotation) {
    next_rotation_ = Deadline::after(config.tls.ticket_rotation);
  }
  rotation_ = config.tls.ticket_rotation;
  random_keys_ = random;
  return loaded;
}

bool TlsSettings::rotate_if_due(Instant now) {
  if (next_rotation_.is_never() || !next_rotation_.passed(now)) return false;
  ticket_keys_->rotate();
  next_rotation_ = Deadline::at(now + rotation_);
  return true;
}

std::expected<std::vector<std::string>, ConfigError> check_tls(const Config& config) {
  if (config.tls.certificates.empty()) return std::vector<std::string>{};
  auto loaded = TlsSettings("").load(config);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  return std::move(loaded->remarks);
}

}  // namespace perch::perchd
