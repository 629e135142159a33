#!/bin/bash
# Runs every fuzzer of build/asan, two at a time.
#
#   tools/fuzz.sh [SECONDS each]
#
# What a fuzzer finds is kept in build/asan/fuzz/found/<name>/, the inputs it grew in build/asan/fuzz/corpus/<name>/.
set -u
cd "$(dirname "$0")/.." || exit 1
export seconds=${1:-60}
list=build/asan/fuzz/fuzzers.txt
if [ ! -s "$list" ]; then
  echo "no fuzzers in build/asan: cmake --preset asan && cmake --build --preset asan --target fuzzers" >&2
  exit 1
fi

run() {
  local name=$1 corpus=${2-} log=build/asan/fuzz/$1.log start=$SECONDS
  mkdir -p "build/asan/fuzz/found/$name" "build/asan/fuzz/corpus/$name"
  if "build/asan/fuzz/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="build/asan/fuzz/found/$name/" "build/asan/fuzz/corpus/$name" ${corpus:+"$corpus"} >"$log" 2>&1; then
    echo "$name: nothing found in $((SECONDS - start)) s," \
      "$(awk '/number_of_executed_units/ { print $2 }' "$log") inputs"
  else
    echo "$name: FAILED"
    tail -n 60 "$log"
    return 1
  fi
}
export -f run
# Exit code 123 or so when one of them failed.
grep . "$list" | xargs -P 2 -L 1 bash -c 'run "$@"' run
