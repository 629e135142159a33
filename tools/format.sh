#!/bin/sh
# Formats the C++ sources with clang-format 19; with --check it only names what it would change.
set -eu
cd "$(dirname "$0")/.."
format=$(command -v clang-format-19) || {
  echo "clang-format-19 is missing (Debian package clang-format-19)" >&2
  exit 1
}
if [ "${1-}" = --check ]; then
  set -- --dry-run --Werror
else
  set -- -i
fi
find include src apps examples bench tests cmake \( -name '*.h' -o -name '*.cc' \) -type f \
  2>/dev/null | LC_ALL=C sort | xargs -r "$format" "$@"
