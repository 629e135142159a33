// Reads [files], [[header]], [[redirect]] and [[host]].
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "perchd/config.h"
#include "perchd/toml_tree.h"

namespace perch::perchd {

// The names of the tables that read_sites reads.
std::span<const std::string_view> site_tables();

// The keys of [files], without those of tables below it.
std::span<const std::string_view> files_keys();

struct SiteMistake {
  TomlPosition at;
  std::string what;
  std::string expected;
};

// Sets Config::files and Config::hosts by the members of a document that site_tables names. A host
// has what [files] says where it does not say otherwise; header rules of all hosts come before its
// own, so that its own have the last word, and redirects of all hosts come behind its own.
std::vector<SiteMistake> read_sites(const std::vector<TomlNode>& members, Config& config);

}  // namespace perch::perchd
