// Where perchd keeps what the next run should find again, and how private files are written there.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "perch/base/error.h"

namespace perch::perchd {

using Environment = std::function<const char*(const char*)>;  // as std::getenv

// In this order: $STATE_DIRECTORY (its first entry; systemd sets it), /var/lib/perchd for root,
// $XDG_STATE_HOME/perchd, $HOME/.local/state/perchd. "" where none of them is an absolute path.
std::string state_directory(const Environment& environment, bool root);
std::string state_directory();  // of this process

// Makes the directory, and those above it, with mode 0700 where they are missing. Errors name it.
Result<void> make_private_directory(const std::string& path);

// Replaces the file as a whole, with mode 0600: a reader sees the old content or the new one, even
// after a power failure. Errors name it.
Result<void> write_private_file(const std::string& path, std::string_view content);

}  // namespace perch::perchd
