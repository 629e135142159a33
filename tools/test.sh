#!/bin/sh
# Runs every test of a build folder and says which tests skipped something, and why.
#
#   tools/test.sh PRESET [argument of ctest...]
set -u
cd "$(dirname "$0")/.." || exit 1
preset=$1
shift
status=0
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j2 "$@" || status=$?

# A GoogleTest program in which one test skipped has passed, so ctest does not show it.
awk '
  /^[0-9]+\/[0-9]+ Testing: / { program = $3 }
  /: Skipped$/ { getline reason; held = reason; next }
  /^\[  SKIPPED \] [^ ]+ \(/ {
    if (!count++) print "\nSkipped inside the programs above:"
    print "  " program ": " $4 (held == "" ? "" : ": " held)
    held = ""
  }
' "build/$preset/Testing/Temporary/LastTest.log" 2>/dev/null
exit "$status"
