// The version of Perch, as the programs and the package files show it.
//
// CMakeLists.txt reads it from here: this is the only place where it stands.
#pragma once

#include <string_view>

namespace perch {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace perch
