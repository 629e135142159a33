// What perchd serves: the files of each host, and how. Settings only; server::FileOptions is made
// of them when they are used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "perch/http/content_coding.h"
#include "perch/http/field_rules.h"
#include "perch/http/redirect_rules.h"

namespace perch::perchd {

// As in server::FileOptions.
struct Files {
  std::string index = "index.html";  // empty: none
  bool follow_symlinks = true;
  bool listing = false;
  std::vector<http::ContentCoding> precompressed;
  std::string fallback;                    // empty: none
  std::string hsts;                        // empty: none
  std::map<int, std::string> error_pages;  // by status
  std::vector<http::FieldRule> headers;
  std::vector<http::RedirectRule> redirects;

  friend bool operator==(const Files&, const Files&) = default;
};

struct Host {
  std::vector<std::string> names;  // see http::host_name_mistake
  std::string root;                // empty: Config::root
  Files files;                     // complete: what the host does not say itself is Config::files

  friend bool operator==(const Host&, const Host&) = default;
};

}  // namespace perch::perchd
