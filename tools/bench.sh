#!/bin/sh
# Runs every benchmark program of build/release/bench.
#
#   tools/bench.sh [argument of Google Benchmark...]
set -eu
cd "$(dirname "$0")/.."
found=no
for program in build/release/bench/*; do
  if [ ! -f "$program" ] || [ ! -x "$program" ]; then continue; fi
  found=yes
  echo "== $program"
  "$program" --benchmark_color=false "$@"
done
[ "$found" = yes ] || {
  echo "no benchmark programs in build/release/bench" >&2
  exit 1
}
