#!/bin/sh
# Compiles each header of include/perch, src and apps alone, without precompiled headers.
#
#   tools/check_headers.sh [PRESET]
set -eu
cd "$(dirname "$0")/.."
preset=${1:-release}
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
cmake --build "build/$preset" --target perch_header_check
