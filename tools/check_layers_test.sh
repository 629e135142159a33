#!/bin/sh
# Shows that tools/check_layers.sh passes what is right and fails each thing that is wrong.
set -eu
check=$(cd "$(dirname "$0")" && pwd)/check_layers.sh
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# expect RESULT FILE LINE: writes LINE into FILE of a tree that is otherwise right.
expect() {
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/cmake" "$tree/include/perch/low" "$tree/include/perch/high" "$tree/src/low" "$tree/src/high"
  printf '# layers\nlow:\nhigh: low\n' >"$tree/cmake/layers.txt"
  echo '#include <vector>' >"$tree/include/perch/low/a.h"
  mkdir -p "$(dirname "$tree/$2")"
  printf '// A comment.\n%s\n' "$3" >"$tree/$2"
  if "$check" "$tree" >"$tree/output" 2>&1; then result=pass; else result=fail; fi
  if [ "$result" != "$1" ]; then
    echo "expected $1, got $result: $2: $3"
    cat "$tree/output"
    failures=$((failures + 1))
  elif [ "$result" = fail ] && ! grep -q "^$2:" "$tree/output"; then
    echo "the file is not named: $2: $3"
    cat "$tree/output"
    failures=$((failures + 1))
  fi
}

expect pass include/perch/high/b.h '#include "perch/low/a.h"'
expect pass include/perch/high/b.h '#include <string_view>'
expect pass src/high/b.cc '#include "low/inner.h"'
expect pass src/high/b.cc '#include <sys/socket.h>'
expect pass src/high/b.cc '#include "inner.h"'
expect pass src/low/a_test.cc '#include "perch/high/b.h"'
expect fail include/perch/low/b.h '#include "perch/high/b.h"'
expect fail src/low/b.cc '#include "perch/high/b.h"'
expect fail src/low/b.cc '#  include <perch/high/b.h>'
expect fail src/low/b.cc '#include "high/inner.h"'
expect fail src/low/b.cc '#include "../high/inner.h"'
expect fail src/low/b.cc '#include "perch/unknown/b.h"'
expect fail include/perch/unknown/b.h '#include <vector>'
for header in '<openssl/ssl.h>' '<nghttp2/nghttp2.h>' '<sys/epoll.h>' '<unistd.h>' '<netinet/in.h>' \
  '<arpa/inet.h>' '<linux/tls.h>' '<fmt/format.h>' '<spdlog/spdlog.h>' '<toml++/toml.h>' '<CLI/CLI.hpp>' \
  '"inner.h"'; do
  expect fail include/perch/high/b.h "#include $header"
done

[ "$failures" -eq 0 ] && echo "check_layers.sh tells right from wrong"
