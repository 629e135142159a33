#include "perchd/self_signed_store.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "perch/net/listen_url.h"
#include "perch/tls/self_signed.h"
#include "perchd/state_directory.h"

namespace perch::perchd {
namespace {

constexpr std::chrono::days kLeastValidity{30};
constexpr std::string_view kRemark =
    "TLS: no certificate is configured, so a self-signed one is used, which clients do not trust "
    "by "
    "themselves; ";

// Key and certificate in one file, so that they never come apart.
std::string file_in(const std::string& directory) { return directory + "/self-signed.pem"; }

SelfSigned of_pem(std::string pem, std::chrono::system_clock::time_point expiry) {
  return {.files = {.chain = pem, .key = pem, .ocsp_response = {}, .in_memory = true},
          .expiry = expiry,
          .remark = {}};
}

// What an earlier run has kept, if it still serves.
std::optional<SelfSigned> kept(const std::string& path, const std::vector<std::string>& names,
                               std::chrono::system_clock::time_point now) {
  std::ifstream in(path);
  std::string pem{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (pem.empty()) return std::nullopt;
  const auto expiry = tls::certificate_expiry(pem);
  if (!expiry) return std::nullopt;
  SelfSigned found = of_pem(std::move(pem), *expiry);
  if (!found.lasts(now)) return std::nullopt;
  const auto context = tls::ServerContext::create({.certificates = {found.files}});
  if (!context) return std::nullopt;
  const bool covered = std::ranges::all_of(names, [&](const std::string& name) {
    const bool ipv6 = name.find(':') != std::string::npos;
    return (*context)->names_cover(ipv6 ? "[" + name + "]" : name);
  });
  if (!covered) return std::nullopt;
  found.remark = fmt::format("{}it was made earlier and is kept in {}", kRemark, path);
  return found;
}

}  // namespace

std::vector<std::string> self_signed_names(const std::vector<std::string>& listen) {
  std::vector<std::string> names = tls::SelfSignedOptions().names;
  const auto add = [&](std::string name) {
    if (!name.empty() && std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  };
  for (const std::string& url : listen) {
    const auto address = net::parse_listen_url(url);
    if (!address || !address->secure) continue;
    if (address->host != "*" && address->host != "0.0.0.0" && address->host != "::") {
      add(address->host);
      continue;
    }
    char host[256] = {};
    if (::gethostname(host, sizeof host - 1) == 0) add(host);
  }
  return names;
}

bool SelfSigned::lasts(std::chrono::system_clock::time_point now) const {
  return expiry - now > kLeastValidity;
}

Result<SelfSigned> self_signed_certificate(const std::vector<std::string>& names,
                                           const std::string& directory,
                                           std::chrono::system_clock::time_point now) {
  const std::string path = directory.empty() ? "" : file_in(directory);
  if (!path.empty()) {
    if (auto found = kept(path, names, now)) return std::move(*found);
  }
  const tls::SelfSignedOptions options{.names = names};
  Result<tls::PemPair> made = tls::make_self_signed(options);
  if (!made) return std::unexpected(std::move(made.error()));
  SelfSigned result = of_pem(made->key + made->certificate, now + options.lifetime);
  std::string why = "there is no state directory (see STATE DIRECTORY in perchd(1))";
  if (!path.empty()) {
    Result<void> written = make_private_directory(directory);
    if (written) written = write_private_file(path, result.files.key);
    if (written) {
      result.remark = fmt::format("{}it was made now and is kept in {}", kRemark, path);
      return result;
    }
    why = "it cannot be kept: " + written.error().message();
  }
  result.remark = fmt::format("{}it lives in memory until perchd ends, since {}", kRemark, why);
  return result;
}

}  // namespace perch::perchd
