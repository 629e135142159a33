#include "tls/certificate_names.h"

#include <arpa/inet.h>

#include <algorithm>

#include <openssl/x509v3.h>

namespace perch::tls {
namespace {

using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, Freer<GENERAL_NAMES_free>>;

std::string_view text_of(const ASN1_STRING* string) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(string)),
          static_cast<std::size_t>(ASN1_STRING_length(string))};
}

void add_name(CertificateNames& names, std::string_view name) {
  std::string host = normalise_host(name);
  if (host.empty() || host.find('\0') != std::string::npos) return;
  if (!host.starts_with("*.")) {
    if (host.find('*') == std::string::npos) names.exact.push_back(std::move(host));
    return;
  }
  host.erase(0, 1);
  // "*.com" is nobody's to have, and a star elsewhere is not a wildcard.
  const bool two_labels = host.find('.', 1) != std::string::npos;
  if (two_labels && host.find('*') == std::string::npos) names.wildcards.push_back(std::move(host));
}

// The bytes of an address in text, or nothing.
std::string address_of(const std::string& host) {
  char bytes[16];
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) return {bytes, 4};
  if (inet_pton(AF_INET6, host.c_str(), bytes) == 1) return {bytes, 16};
  return {};
}

bool all_digits(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

CertificateNames CertificateNames::of(const X509* certificate) {
  CertificateNames names;
  const GeneralNamesPtr found(static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; i < sk_GENERAL_NAME_num(found.get()); ++i) {
    const GENERAL_NAME* name = sk_GENERAL_NAME_value(found.get(), i);
    if (name->type == GEN_DNS) {
      add_name(names, text_of(name->d.dNSName));
    } else if (name->type == GEN_IPADD) {
      const std::string_view bytes = text_of(name->d.iPAddress);
      if (bytes.size() == 4 || bytes.size() == 16) names.addresses.emplace_back(bytes);
    }
  }
  for (auto* list : {&names.exact, &names.wildcards, &names.addresses}) {
    std::ranges::sort(*list);
    list->erase(std::ranges::unique(*list).begin(), list->end());
  }
  return names;
}

bool CertificateNames::covers_name(std::string_view host) const {
  return std::ranges::binary_search(exact, host) ||
         std::ranges::binary_search(wildcards, after_first_label(host));
}

bool CertificateNames::covers_authority(std::string_view authority) const {
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return false;
    const std::string_view port = authority.substr(end + 1);
    if (!port.empty() && (port.front() != ':' || !all_digits(port.substr(1)))) return false;
    const std::string address = address_of(std::string(authority.substr(1, end - 1)));
    return address.size() == 16 && std::ranges::binary_search(addresses, address);
  }
  if (const std::size_t colon = authority.find(':'); colon != std::string_view::npos) {
    if (!all_digits(authority.substr(colon + 1))) return false;
    authority = authority.substr(0, colon);
  }
  const std::string host = normalise_host(authority);
  if (host.empty()) return false;
  const std::string address = address_of(host);
  if (!address.empty()) return std::ranges::binary_search(addresses, address);
  return covers_name(host);
}

std::string normalise_host(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  std::string lower(host);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::string_view after_first_label(std::string_view host) {
  const std::size_t dot = host.find('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : host.substr(dot);
}

}  // namespace perch::tls
